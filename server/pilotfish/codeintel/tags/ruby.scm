(module name: [(constant) (scope_resolution)] @name) @def.module
(class name: [(constant) (scope_resolution)] @name) @def.class
(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(assignment left: (constant) @name) @def.constant
((call method: (identifier) @_maker arguments: (argument_list (simple_symbol) @name @def.property))
  (#any-of? @_maker "attr_accessor" "attr_reader" "attr_writer"))
(comment) @comment

((call method: (identifier) @ref.import) (#any-of? @ref.import "require" "require_relative" "include" "extend"))
(call method: [(identifier) (constant)] @ref.call)
(superclass (constant) @ref.type)
(constant) @ref
(identifier) @ref
