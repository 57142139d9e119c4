(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType ["struct" "union" "opaque"])))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr [(ContainerDecl (ContainerDeclType "enum")) (ErrorSetDecl)])))) @def.enum
(Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name)) @def.constant
(Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name)) @def.variable
(ContainerField field_member: (IDENTIFIER) @name) @def.field
(ContainerDecl (ContainerDeclType ["enum" "union"])
  (ContainerField . (doc_comment)? . (ErrorUnionExpr . (SuffixExpr . variable_type_function: (IDENTIFIER) @name .) .))
    @def.enum_member)
(ErrorSetDecl field_constant: (IDENTIFIER) @name @def.enum_member)
(Decl (FnProto function: (IDENTIFIER) @name)) @def.function
(ContainerField (doc_comment) @doc) @doc.of
((doc_comment) @doc . (Decl) @doc.of)
(line_comment) @comment

(SuffixExpr variable_type_function: (IDENTIFIER) @ref.call . (FnCallArguments))
(FieldOrFnCall function_call: (IDENTIFIER) @ref.call)
(ParamType (ErrorUnionExpr (SuffixExpr variable_type_function: (IDENTIFIER) @ref.type .)))
(FnProto (ErrorUnionExpr (SuffixExpr variable_type_function: (IDENTIFIER) @ref.type .)))
(IDENTIFIER) @ref
