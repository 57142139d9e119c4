; What a name is: @def.<kind> on the whole, @name on the name; uses: @ref.<role>, or @ref.

(class_definition name: (identifier) @name) @def.class
(decorated_definition definition: (class_definition name: (identifier) @name)) @def.class
(function_definition name: (identifier) @name) @def.function
(decorated_definition definition: (function_definition name: (identifier) @name)) @def.function
(lambda) @closure
(type_alias_statement left: (type (identifier) @name)) @def.alias
(type_alias_statement left: (type (generic_type . (identifier) @name))) @def.alias
(assignment left: (identifier) @name) @def.variable
(assignment left: (pattern_list [
  (identifier) @name
  (list_splat_pattern (identifier) @name)
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
])) @def.variable
(assignment left: (tuple_pattern [
  (identifier) @name
  (list_splat_pattern (identifier) @name)
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
])) @def.variable
(assignment left: (list_pattern [
  (identifier) @name
  (list_splat_pattern (identifier) @name)
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
])) @def.variable
((assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)) @def.field
  (#eq? @_self "self"))
((assignment left: (pattern_list
  (attribute object: (identifier) @_self attribute: (identifier) @name))) @def.field
  (#eq? @_self "self"))

(class_definition body: (block . (string) @doc)) @doc.of
(function_definition body: (block . (string) @doc)) @doc.of
(comment) @comment

(call function: (identifier) @ref.call)
(call function: (attribute attribute: (identifier) @ref.call))
(decorator (identifier) @ref.call)
(type (identifier) @ref.type)
(generic_type . (identifier) @ref.type)
(class_definition superclasses: (argument_list (identifier) @ref.type))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @ref.type)))
(import_statement name: (dotted_name (identifier) @ref.import))
(import_from_statement name: (dotted_name (identifier) @ref.import))
(import_from_statement module_name: (dotted_name (identifier) @ref.import))
(aliased_import name: (dotted_name (identifier) @ref.import))
(aliased_import alias: (identifier) @ref.import)
(identifier) @ref
