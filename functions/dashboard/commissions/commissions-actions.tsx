/** /app/:workspace/commissions/change: holds or releases the selected commissions. */

import * as z from 'zod'
import type { Act } from '../../../lib/audit/audit.queries.ts'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import type { Db } from '../../../lib/db/connection.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { form } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { chosenIn } from '../../../lib/pages/forms/choice.tsx'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { refusalOf } from '../../../lib/rules/steps/holds.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { holdCommission } from '../../../lib/tracking/holds/place-hold.queries.ts'
import { resolveHold } from '../../../lib/tracking/holds/resolve-hold.queries.ts'
import type { CommissionRow } from '../../../lib/tracking/ledger/commissions.queries.ts'
import { MAX_REASON_LENGTH, NewHold } from '../../../lib/tracking/ledger/commissions.schemas.ts'

/** The form below the list, to which its checkboxes belong. */
export const CommissionActions = ({ id, base }: { id: string; base: string }) => (
  <section>
    <h2>{t(m.commissions_change_chosen)}</h2>
    <form id={id} class="inline" method="post" action={`${base}/commissions/change`}>
      <Field
        label={t(m.commissions_reason_to_hold)}
        name="note"
        hint={t(m.commissions_partner_sees_it)}
        maxlength={MAX_REASON_LENGTH}
        autocomplete="off"
      />
      <button type="submit" name="change" value="hold" class="quiet">
        {t(m.commissions_hold_chosen)}
      </button>
      <button type="submit" name="change" value="release" class="quiet">
        {t(m.commissions_release)}
      </button>
    </form>
  </section>
)

/** As many as a page of the list shows by default. Each is a transaction of its own. */
const MAX_CHOSEN = 50

const chosen = z
  .array(z.uuid(inEnglish(m.commissions_must_be_id)))
  .min(1, inEnglish(m.commissions_choose_one))
  .max(MAX_CHOSEN, inEnglish(m.commissions_choose_at_most, { max: String(MAX_CHOSEN) }))

const Change = z.discriminatedUnion(
  'change',
  [
    z.object({ change: z.literal('hold'), note: NewHold.shape.note, commissions: chosen }),
    z.object({ change: z.literal('release'), commissions: chosen }),
  ],
  inEnglish(m.layout_choose_what_to_change),
)
type Change = z.output<typeof Change>

type Result = { commission: CommissionRow; refusal: string | null }

/** Changes commissions one by one. An interrupted request can be retried. */
const changeAll = async (db: Db, act: Act, change: Change): Promise<Result[]> => {
  const results: Result[] = []
  for (const id of change.commissions) {
    if (change.change === 'hold') {
      const held = await holdCommission(db, act, id, change.note)
      if (held) results.push(held)
      continue
    }
    const commission = await resolveHold(db, act, id, 'released')
    if (commission)
      results.push({ commission, refusal: refusalOf(commission.resolution, 'released') })
  }
  return results
}

const Refused = ({ base, refused }: { base: string; refused: Result[] }) => (
  <Table
    caption={t(m.commissions_not_changed)}
    head={[t(m.partner), { number: t(m.amount_column) }, t(m.layout_reason)]}
  >
    {refused.map(({ commission, refusal }) => (
      <tr>
        <td>{commission.partnerName ?? commission.partnerSlug}</td>
        <td class="number">
          <a href={`${base}/commissions/${commission.id}`}>
            {money(commission.amountCents, commission.currency)}
          </a>
        </td>
        <td class="words">{refusal}</td>
      </tr>
    ))}
  </Table>
)

export default createRoutes<WorkspaceEnv>().post(
  '/app/:workspace/commissions/change',
  freshMembersOnly(),
  form(),
  async (c) => {
    const t = textsOf(c)
    const base = `/app/${c.var.workspace.slug}`
    const fields = c.req.valid('form')
    const read = Change.safeParse({ note: '', ...fields, commissions: chosenIn(fields) })
    if (!read.success)
      throw new ApiError('invalid_body', read.error.issues[0]?.message ?? t(m.commissions_choose))
    const results = await changeAll(c.var.db, actOf(c), read.data)
    const refused = results.filter(({ refusal }) => refusal !== null)
    const count = results.length - refused.length
    const title = t(
      read.data.change === 'hold' ? m.commissions_count_held : m.commissions_count_released,
      {
        count,
      },
    )
    const children = (
      <>
        <h1>{title}</h1>
        {refused.length > 0 && <Refused base={base} refused={refused} />}
        <LinkLine href={`${base}/commissions`}>{t(m.commissions_back)}</LinkLine>
      </>
    )
    return renderSection(c, '/commissions', title, children)
  },
)
