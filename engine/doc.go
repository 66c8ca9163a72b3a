// Package engine is the vocabulary of the bot: what happened (Event), what is
// to be done (Command), where a conversation stands (State), and how a skill
// answers (Turn, Outcome). Packages that never import each other talk in these
// words. It holds no behaviour that runs, knows neither HTTP nor storage nor
// the configuration's syntax, and imports the standard library only.
package engine
