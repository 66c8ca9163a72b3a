package kind

// Yes are the words that people agree with, in either language.
func Yes() []string {
	return []string{
		"是", "yes", "是的", "对", "对的", "没错", "确认", "确定", "好", "好的", "可以", "嗯",
		"y", "ok", "okay", "sure", "confirm", "correct",
	}
}

// No are the words that they decline with.
func No() []string {
	return []string{"否", "no", "不", "不是", "不对", "不行", "错了", "有误", "重填", "重来", "n", "nope", "wrong"}
}
