(namespace_declaration name: (_) @name) @def.namespace
(file_scoped_namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(struct_declaration name: (identifier) @name) @def.struct
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.enum_member
(delegate_declaration name: (identifier) @name) @def.alias
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.constructor
(destructor_declaration "~" @from name: (identifier) @name) @def.method
(operator_declaration "operator" @from operator: _ @name) @def.method
(conversion_operator_declaration "operator" @from type: (_) @name) @def.method
(indexer_declaration "this" @name) @def.property
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.property))
(property_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.event
(event_declaration name: (identifier) @name) @def.event
((field_declaration (modifier) @_const (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.constant
  (#eq? @_const "const"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(lambda_expression) @closure
(anonymous_method_expression) @closure
(comment) @comment

(invocation_expression function: (identifier) @ref.call)
(invocation_expression function: (generic_name (identifier) @ref.call))
(invocation_expression function: (member_access_expression name: (identifier) @ref.call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @ref.call)))
(invocation_expression function: (conditional_access_expression
  (member_binding_expression name: (identifier) @ref.call)))
(object_creation_expression type: (identifier) @ref.call)
(object_creation_expression type: (generic_name (identifier) @ref.call))
(base_list (identifier) @ref.type)
(base_list (generic_name (identifier) @ref.type))
(variable_declaration type: (identifier) @ref.type)
(parameter type: (identifier) @ref.type)
(method_declaration returns: (identifier) @ref.type)
(property_declaration type: (identifier) @ref.type)
(type_argument_list (identifier) @ref.type)
(attribute name: (identifier) @ref.type)
(using_directive (identifier) @ref.import)
(using_directive (qualified_name name: (identifier) @ref.import))
(identifier) @ref
