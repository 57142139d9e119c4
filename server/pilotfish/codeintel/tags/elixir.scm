(call target: (identifier) @_word (arguments . (alias) @name) (#eq? @_word "defmodule")) @def.module
(call target: (identifier) @_word (arguments . (alias) @name) (#eq? @_word "defprotocol")) @def.interface
(call target: (identifier) @_word
  (arguments . (alias) @name (keywords (pair value: (alias) @scope)))
  (#eq? @_word "defimpl")) @def.extension
(call target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
  ])
  (#any-of? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @def.function
(call target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])
  (#any-of? @_word "defmacro" "defmacrop")) @def.macro
(unary_operator operator: "@" operand: (call
  target: (identifier) @_word
  (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_word "type" "typep" "opaque")) @def.alias
(unary_operator operator: "@" operand: (call
  target: (identifier) @_word
  (arguments (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#any-of? @_word "callback" "macrocallback")) @def.function
(unary_operator operator: "@" operand: (call
  target: (identifier) @name
  (arguments [
    (integer) (float) (string) (charlist) (atom) (boolean) (list) (tuple) (map) (sigil) (call) (dot) (binary_operator)
    (unary_operator) (alias)
  ]))
  (#not-match? @name "^(after_compile|before_compile|behaviour|(macro)?callback|compile|deprecated|derive|dialyzer|enforce_keys)$")
  (#not-match? @name "^(external_resource|file|impl|(module|short|type)?doc|on_definition|on_load|opaque|optional_callbacks)$")
  (#not-match? @name "^(since|spec|typep?|vsn)$")) @def.constant
(call target: (identifier) @_word
  (arguments [(list (atom) @name) (list (keywords (pair key: (keyword) @name))) (keywords (pair key: (keyword) @name))])
  (#eq? @_word "defstruct")) @def.field
(anonymous_function) @closure
(comment) @comment
(call target: (identifier) @_module
  (do_block . (unary_operator operand: (call
    target: (identifier) @_word
    (arguments [(string) (sigil)] @doc))))
  (#eq? @_word "moduledoc")) @doc.of
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [(string) (sigil)] @doc))
  (#any-of? @_word "doc" "typedoc")) @doc.before
(unary_operator operator: "@" operand: (call target: (identifier) @_word)
  (#any-of? @_word "spec" "impl" "deprecated" "dialyzer" "since")) @attribute

(call target: (identifier) @_word (arguments (alias) @ref.import) (#any-of? @_word "alias" "import" "require" "use"))
(call target: (identifier) @ref.call
  (#not-match? @ref.call "^(alias|behaviour|case|cond|def(delegate|exception|guardp?|impl|macrop?|module|np?|p|protocol|struct)?|for|if)$")
  (#not-match? @ref.call "^((macro)?callback|deprecated|impl|import|(module|short|type)?doc|opaque|quote|receive|require|since)$")
  (#not-match? @ref.call "^(spec|try|typep?|unless|unquote|use|with)$"))
(call target: (dot right: (identifier) @ref.call))
(struct (alias) @ref.type)
(alias) @ref
(identifier) @ref
