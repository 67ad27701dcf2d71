import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import * as z from 'zod'
import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { ERROR_STATUS, errorBody, toApiError } from '../../lib/http/errors.ts'
import { describeError, log, noteForLog } from '../../lib/http/logging.ts'
import type { RateLimiter } from '../../lib/http/rate-limit.ts'
import type { PreviewsService } from '../../lib/payouts/payouts.rpc.ts'

export type McpBindings = WorkspaceEnv['Bindings'] & {
  FAILURE_LIMIT: RateLimiter
  /** Previews of payouts per workspace: each reads the merchant's balance at Stripe. */
  PREVIEW_LIMIT: RateLimiter
  PAYOUTS: PreviewsService
}

export type McpContext = Context<WorkspaceEnv & { Bindings: McpBindings }>

/** Clients may call such tools without asking the user. */
const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const text = (content: object) => ({ type: 'text' as const, text: JSON.stringify(content) })

/** A result as text and as data; or an error, which the model can read and act on. */
const resultOf = async (c: McpContext, name: string, read: () => Promise<object>) => {
  try {
    const result = await read()
    noteForLog(c, { outcome: name })
    return { content: [text(result)], structuredContent: { ...result } }
  } catch (error) {
    const failure = toApiError(error)
    noteForLog(c, { outcome: `${name}: ${failure.code}` })
    if (ERROR_STATUS[failure.code] >= 500) {
      log('error', { requestId: c.get('requestId'), outcome: name, ...describeError(error) })
    }
    return { content: [text(errorBody(c, failure))], isError: true }
  }
}

/**
 * The schema of a tool's arguments for the SDK. `z.toJSONSchema` accepts parts in zod/mini, unlike
 * the method of the schema that the SDK would call.
 */
const inputSchemaOf = (input: z.ZodType<object>): StandardSchemaWithJSON<unknown, object> => {
  const standard = input['~standard']
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        ...standard.jsonSchema,
        input: ({ target }) => z.toJSONSchema(input, { io: 'input', target }),
      },
    },
  }
}

/** Adds a tool to the server of one request. */
export type Tool = (server: McpServer, c: McpContext) => void

/**
 * A tool that only reads.
 *
 * @param input the schema of its arguments, which the SDK checks
 * @param read returns the API's representations. Throws the API's errors
 */
export const tool =
  <Input extends z.ZodType<object>>(
    name: string,
    { title, description, input }: { title: string; description: string; input: Input },
    read: (c: McpContext, args: z.output<Input>) => Promise<object>,
  ): Tool =>
  (server, c) => {
    server.registerTool(
      name,
      { title, description, inputSchema: inputSchemaOf(input), annotations: READ_ONLY },
      (args) => resultOf(c, name, () => read(c, args as z.output<Input>)),
    )
  }
