(module name: [
  (constant) @name
  (scope_resolution scope: [(constant) @scope (scope_resolution name: (constant) @scope)] name: (constant) @name)
  (scope_resolution !scope name: (constant) @name)
]) @def.module
(class name: [
  (constant) @name
  (scope_resolution scope: [(constant) @scope (scope_resolution name: (constant) @scope)] name: (constant) @name)
  (scope_resolution !scope name: (constant) @name)
]) @def.class
(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(assignment left: [(constant) @name (scope_resolution scope: (_) @scope name: (constant) @name)]) @def.constant
(assignment left: (left_assignment_list (constant) @name)) @def.constant
(alias name: (_) @name) @def.method
((call method: (identifier) @_maker
  arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])) @def.method
  (#any-of? @_maker "alias_method" "define_method"))
((call method: (identifier) @_maker arguments: (argument_list (simple_symbol) @name @def.property))
  (#any-of? @_maker "attr_accessor" "attr_reader" "attr_writer"))
(comment) @comment

((call method: (identifier) @ref.import) (#any-of? @ref.import "require" "require_relative" "include" "extend"))
(call method: [(identifier) (constant)] @ref.call)
(superclass (constant) @ref.type)
(constant) @ref
(identifier) @ref
