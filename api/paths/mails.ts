import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MailReportResponse, MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { EDITABLE_KINDS } from '../../lib/mail/mails.ts'
import { MailTextResponse, MailTextsResponse } from '../../lib/mail/texts.responses.ts'
import { MailTextChange } from '../../lib/mail/texts.schemas.ts'
import {
  act,
  byManager,
  errors,
  get,
  json,
  list,
  managersOnly,
  put,
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
      ...byManager(get('List the texts of mails to partners', MailTextsResponse, {})),
      description:
        'The subject and the first words of each mail that you may change. null is the default.',
    },
  },
  [`${WORKSPACE}/mail-texts/{kind}`]: {
    put: put('Change the text of a mail to partners', MailTextChange, MailTextResponse, {
      names: { kind: z.enum(EDITABLE_KINDS) },
      description:
        'A placeholder is one of `placeholders` in braces, such as `{partnerName}`. Mails that were not sent yet get the new text.',
      also: ['conflict'],
    }),
  },
}
