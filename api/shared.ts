import * as z from 'zod'
import { ERRORS, type ErrorCode } from '../lib/http/errors.ts'
import { ErrorResponse } from './responses.ts'

export const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } })

/** The answers that go wrong, by status, for the codes that an endpoint may give. */
export const errors = (...codes: ErrorCode[]) => {
  const all: ErrorCode[] = [...codes, 'rate_limited', 'internal', 'try_again']
  const answers = [...Map.groupBy(all, (code) => ERRORS[code][0])].map(([status, group]) => {
    const description = group.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('\n\n')
    return [String(status), { description, ...json(ErrorResponse) }]
  })
  return Object.fromEntries(answers)
}

/** An endpoint that takes a body. */
export const BODY_ERRORS = ['invalid_body', 'body_too_large', 'unsupported_media_type'] as const
/** An endpoint for somebody who has signed in. */
export const SESSION_ERRORS = ['not_signed_in', 'cross_site_request'] as const
/** An endpoint for managers of a workspace. */
export const MANAGER_ERRORS = [...SESSION_ERRORS, 'manager_required', 'not_found'] as const

export const byApiKey = [{ apiKey: [] }]
export const bySession = [{ session: [] }]

export const workspace = {
  workspace: z.string().meta({ description: 'The slug or id of the workspace.' }),
}
