(namespace_definition name: (namespace_name) @name) @def.namespace
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.class
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.enum_member
(function_definition name: (name) @name) @def.function
(method_declaration name: (name) @name) @def.method
(const_declaration (const_element (name) @name)) @def.constant
(property_declaration (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter name: (variable_name (name) @name)) @def.promoted
(anonymous_function) @closure
(arrow_function) @closure
(comment) @comment

(function_call_expression function: (name) @ref.call)
(function_call_expression function: (qualified_name (name) @ref.call))
(member_call_expression name: (name) @ref.call)
(nullsafe_member_call_expression name: (name) @ref.call)
(scoped_call_expression name: (name) @ref.call)
(object_creation_expression (name) @ref.call)
(object_creation_expression (qualified_name (name) @ref.call))
(base_clause (name) @ref.type)
(class_interface_clause (name) @ref.type)
(named_type (name) @ref.type)
(use_declaration (name) @ref.type)
(namespace_use_clause (name) @ref.import)
(namespace_use_clause (qualified_name (name) @ref.import))
(name) @ref
