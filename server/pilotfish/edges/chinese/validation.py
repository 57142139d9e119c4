"""What the library that reads requests and settings says of values that do not fit, in Chinese.

The English texts are the library's, so a test finds them there instead of in our sources.
"""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

_OBJECTS: dict[str, str] = {
    "Field required": "缺少此字段",
    "Extra inputs are not permitted": "不允许其他字段",
    "Keys should be strings": "键应为字符串",
    "Input should be an object": "应为对象",
    "Input should be a valid dictionary or instance of {0}": "应为对象",
    "Input should be a valid dictionary or object to extract fields from": "应为对象",
    "Input should be a valid dictionary": "应为对象",
    "Input should be a valid mapping, error: {0}": "应为对象，错误：{0}",
    "Input should be a valid list": "应为列表",
    "Input should be a valid array": "应为列表",
    "Input should be a valid tuple": "应为列表",
    "Input should be a valid set": "应为列表",
    "Input should be a valid frozenset": "应为列表",
    "Input should be iterable": "应为列表",
    "Error iterating over object, error: {0}": "遍历时出错：{0}",
    "Set items should be hashable": "集合的项应可哈希",
    "{0} should have at least {1} item after validation, not {2}": "{0} 应至少有 {1} 项，而不是 {2} 项",
    "{0} should have at least {1} items after validation, not {2}": "{0} 应至少有 {1} 项，而不是 {2} 项",
    "{0} should have at most {1} item after validation, not {2}": "{0} 最多应有 {1} 项，而不是 {2} 项",
    "{0} should have at most {1} items after validation, not {2}": "{0} 最多应有 {1} 项，而不是 {2} 项",
    "Recursion error - cyclic reference detected": "递归错误：检测到循环引用",
    "Recursion error - maximum validation depth exceeded": "递归错误：超过最大深度",
    "Unable to extract tag using discriminator {0}": "无法通过 {0} 确定类型",
    "Input tag '{0}' found using {1} does not match any of the expected tags: {2}": "{1} 的值“{0}”不是以下之一：{2}",
}

_VALUES: dict[str, str] = {
    "Input should be {0}": "应为 {0}",
    "Input should be None": "应为空",
    "Input should be null": "应为空",
    "Input should be a valid string": "应为字符串",
    "Input should be a valid string, unable to parse raw data as a unicode string": "应为字符串，无法将数据读取为 Unicode 字符串",
    "String should have at least {0} character": "字符串应至少有 {0} 个字符",
    "String should have at least {0} characters": "字符串应至少有 {0} 个字符",
    "String should have at most {0} character": "字符串最多应有 {0} 个字符",
    "String should have at most {0} characters": "字符串最多应有 {0} 个字符",
    "String should match pattern '{0}'": "字符串应匹配模式“{0}”",
    "String should contain only ASCII characters": "字符串应只含 ASCII 字符",
    "Input should be a valid boolean": "应为布尔值",
    "Input should be a valid boolean, unable to interpret input": "应为布尔值，无法理解该值",
    "Input should be a valid integer": "应为整数",
    "Input should be a valid integer, unable to parse string as an integer": "应为整数，无法将字符串读取为整数",
    "Unable to parse input string as an integer, exceeded maximum size": "无法将字符串读取为整数：超过最大长度",
    "Input should be a valid integer, got a number with a fractional part": "应为整数，但该数带有小数部分",
    "Input should be a valid number": "应为数字",
    "Input should be a valid number, unable to parse string as a number": "应为数字，无法将字符串读取为数字",
    "Input should be a finite number": "应为有限的数字",
    "Input should be greater than {0}": "应大于 {0}",
    "Input should be greater than or equal to {0}": "应大于或等于 {0}",
    "Input should be less than {0}": "应小于 {0}",
    "Input should be less than or equal to {0}": "应小于或等于 {0}",
    "Input should be a multiple of {0}": "应为 {0} 的倍数",
    "Invalid JSON: {0}": "无效的 JSON：{0}",
    "JSON input should be string, bytes or bytearray": "JSON 应为文本",
    "Value error, {0*}": "值有误：{0*}",
    "Assertion failed, {0*}": "值有误：{0*}",
}

VALIDATION: dict[str, str] = {**_OBJECTS, **_VALUES}
