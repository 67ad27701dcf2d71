import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MailReportResponse, MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { EDITABLE_KINDS } from '../../lib/mail/mails.ts'
import { MailTextResponse, MailTextsResponse } from '../../lib/mail/texts.responses.ts'
import { MailTextChange } from '../../lib/mail/texts.schemas.ts'
import {
  act,
  BODY_ERRORS,
  bySession,
  errors,
  json,
  list,
  MANAGER_ERRORS,
  managersOnly,
  path,
  WORKSPACE,
} from '../operations.ts'

const signed = z.string().meta({ description: 'By the signing secret of the webhook.' })

export const mails: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/mails`]: { get: managersOnly(list('List mails', MailResponse, MailQuery)) },
  [`${WORKSPACE}/mails/{id}/retry`]: {
    post: {
      ...act('Retry a failed mail', MailResponse),
      description:
        'Returns a mail that is still queued unchanged. A mail that was sent is a conflict.',
    },
  },
  '/api/webhooks/resend': {
    post: {
      summary: 'Receive delivery events of mails',
      description:
        'The webhook endpoint for Resend, for the whole installation. Resend retries until it receives 200. Duplicate and ' +
        'out-of-order events are safe, and events of other types are ignored.',
      requestParams: {
        header: z.object({
          'svix-id': signed,
          'svix-timestamp': signed,
          'svix-signature': signed,
        }),
      },
      requestBody: {
        required: true,
        ...json(z.looseObject({ type: z.string() }).meta({ description: 'An event of Resend.' })),
      },
      responses: {
        200: { description: 'Saved, or ignored.', ...json(MailReportResponse) },
        ...errors('invalid_signature', 'invalid_body', 'body_too_large'),
      },
    },
  },
  [`${WORKSPACE}/mail-texts`]: {
    get: {
      summary: 'List the texts of mails to partners',
      description:
        'The subject and the first words of each mail that you may change. null is the default.',
      security: bySession,
      requestParams: path(),
      responses: {
        200: { description: 'The texts.', ...json(MailTextsResponse) },
        ...errors(...MANAGER_ERRORS),
      },
    },
  },
  [`${WORKSPACE}/mail-texts/{kind}`]: {
    put: {
      summary: 'Change the text of a mail to partners',
      description:
        'A placeholder is one of `placeholders` in braces, such as `{partnerName}`. Mails that were not sent yet get the new text.',
      security: bySession,
      requestParams: path({ kind: z.enum(EDITABLE_KINDS) }),
      requestBody: { required: true, ...json(MailTextChange) },
      responses: {
        200: { description: 'The text.', ...json(MailTextResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
}
