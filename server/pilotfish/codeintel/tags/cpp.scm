; With the queries of c.scm, which are read first.
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
] body: (_)) @def.class
(template_declaration (class_specifier name: (type_identifier) @name body: (_))) @def.class
(template_declaration (struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
] body: (_))) @def.struct
(struct_specifier name: [
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
] body: (_)) @def.struct
; A macro before the name makes the grammar see a function: ``class EXPORT Name { … }``.
(function_definition type: (class_specifier !body) declarator: (identifier) @name) @def.class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name) @def.struct
(concept_definition name: (identifier) @name) @def.interface
(namespace_alias_definition name: (namespace_identifier) @name) @def.namespace
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @def.namespace
(alias_declaration name: (type_identifier) @name) @def.alias
(template_declaration (function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
])) @def.function
(function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (field_identifier) @name)))
  (reference_declarator (function_declarator declarator: (field_identifier) @name))
  (operator_cast "operator" @from type: (_) @name)
]) @def.method
(function_definition declarator: [
  (function_declarator declarator: (operator_name) @name)
  (pointer_declarator declarator: (function_declarator declarator: (operator_name) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @def.function
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier
    scope: (_) @scope name: [(identifier) (destructor_name) (operator_name)] @name))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier
    scope: (_) @scope name: [(identifier) (destructor_name) (operator_name)] @name)))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier
    name: (qualified_identifier
      scope: (_) @scope name: [(identifier) (destructor_name) (operator_name)] @name))))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
    scope: (_) @scope name: (identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
    name: (qualified_identifier scope: (_) @scope name: (identifier) @name))))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @scope name: (identifier) @name))))
  (reference_declarator (function_declarator declarator: (qualified_identifier
    scope: (_) @scope name: [(identifier) (operator_name)] @name)))
  (reference_declarator (function_declarator declarator: (qualified_identifier
    name: (qualified_identifier scope: (_) @scope name: [(identifier) (operator_name)] @name))))
  (qualified_identifier scope: (_) @scope name: (operator_cast "operator" @from type: (_) @name))
]) @def.method
(declaration declarator: (init_declarator declarator: (qualified_identifier
  scope: (_) @scope name: (identifier) @name))) @def.field
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @def.method
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @def.field
(declaration declarator: (function_declarator declarator: (destructor_name) @name)) @def.method
(declaration declarator: (operator_cast "operator" @from type: (_) @name)) @def.method
(lambda_expression) @closure

(call_expression function: (qualified_identifier name: (identifier) @ref.call))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @ref.call)))
(call_expression function: (template_function name: (identifier) @ref.call))
(new_expression type: (type_identifier) @ref.call)
(using_declaration (qualified_identifier name: (identifier) @ref.import))
(namespace_identifier) @ref
