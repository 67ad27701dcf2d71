/** The OpenAPI document as JSON: as much of it as its readers use. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  example?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

export type Content = Record<string, { schema?: Schema }>

export type Parameter = {
  in: string
  name: string
  required?: boolean
  schema?: Schema
  description?: string
}

export type Operation = {
  operationId: string
  summary: string
  tags: [string]
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
  'x-codeSamples': { label: string; source: string }[]
}

export type Document = {
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The schema that a reference names. */
export const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? ''

/** An optional field is described outside of its null, or within. */
export const descriptionOf = ({ description, anyOf = [] }: Schema): string | undefined =>
  description ?? anyOf.find((option) => option.description)?.description
