import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { body } from '../../../lib/http/validate.ts'
import { EDITABLE_KINDS, type EditableKind } from '../../../lib/mail/mails.ts'
import { listMailTexts, saveMailText, UNCHANGED } from '../../../lib/mail/texts/texts.queries.ts'
import {
  defaultText,
  type EditedText,
  isEditable,
  placeholdersOf,
  TEXT_CHANGED,
  textProblems,
} from '../../../lib/mail/texts/texts.ts'
import type { MailTextResponse, MailTextsResponse } from '../../../lib/mail/texts.responses.ts'
import { MailTextChange } from '../../../lib/mail/texts.schemas.ts'

const textResponse = (
  kind: EditableKind,
  { subject, intro, version }: EditedText & { version: number },
): MailTextResponse => ({
  kind,
  subject,
  intro,
  default: defaultText(kind),
  placeholders: [...placeholdersOf(kind)],
  version,
})

const MAIL_TEXTS = '/api/workspaces/:workspace/mail-texts'

/** /mail-texts: the texts of mails to partners. */
export default createRoutes()
  .get(MAIL_TEXTS, member(), async (c) => {
    const texts = await listMailTexts(c.var.db, c.var.workspace.id)
    const data = EDITABLE_KINDS.map((kind) =>
      textResponse(kind, texts.find((text) => text.kind === kind) ?? UNCHANGED),
    )
    return c.json({ data } satisfies MailTextsResponse)
  })
  .put(`${MAIL_TEXTS}/:kind`, freshMember(), body(MailTextChange), async (c) => {
    const kind = c.req.param('kind')
    if (!isEditable(kind)) {
      throw new ApiError(
        'not_found',
        `No email of this kind has a text to change. GET /mail-texts lists them.`,
      )
    }
    const change = c.req.valid('json')
    const [problem, ...others] = textProblems(kind, change)
    if (problem) {
      throw new ApiError('invalid_body', `${problem.path}: ${problem.message}`, {
        details: [problem, ...others],
      })
    }
    const saved = await saveMailText(c.var.db, actOf(c), kind, change)
    if (!saved) throw new ApiError('conflict', TEXT_CHANGED)
    return c.json(textResponse(kind, saved))
  })
