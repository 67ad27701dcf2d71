/** /app/:workspace/commissions/change: holds or releases the commissions that a manager chose in the list. */
import * as z from 'zod'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import type { Db } from '../../lib/db/connection.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { form } from '../../lib/http/validate.ts'
import { chosenIn } from '../../lib/pages/choice.tsx'
import { Field } from '../../lib/pages/fields.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { counted } from '../../lib/plural.ts'
import type { CommissionRow } from '../../lib/tracking/commissions.queries.ts'
import { MAX_REASON_LENGTH, NewHold } from '../../lib/tracking/commissions.schemas.ts'
import { refusalOf } from '../../lib/tracking/holds.ts'
import { holdCommission } from '../../lib/tracking/place-hold.queries.ts'
import { resolveHold } from '../../lib/tracking/resolve-hold.queries.ts'
import type { Act } from '../../lib/workspace/audit.queries.ts'

/** The form below the list, to which its checkboxes belong. */
export const CommissionActions = ({ id, base }: { id: string; base: string }) => (
  <section>
    <h2>Change the chosen commissions</h2>
    <form id={id} class="inline" method="post" action={`${base}/commissions/change`}>
      <Field
        label="Reason to hold"
        name="note"
        hint="The partner sees it."
        maxlength={MAX_REASON_LENGTH}
        autocomplete="off"
      />
      <button type="submit" name="change" value="hold" class="quiet">
        Hold
      </button>
      <button type="submit" name="change" value="release" class="quiet">
        Release
      </button>
    </form>
  </section>
)

/** As many as a page of the list shows by default. Each is a transaction of its own. */
const MAX_CHOSEN = 50

const chosen = z
  .array(z.uuid('Must be the id of a commission.'))
  .min(1, 'Choose at least one commission.')
  .max(MAX_CHOSEN, `Choose at most ${MAX_CHOSEN} commissions.`)

const Change = z.discriminatedUnion(
  'change',
  [
    z.object({ change: z.literal('hold'), note: NewHold.shape.note, commissions: chosen }),
    z.object({ change: z.literal('release'), commissions: chosen }),
  ],
  'Choose what to change.',
)
type Change = z.output<typeof Change>

type Result = { commission: CommissionRow; refusal: string | null }

/** Changes commissions one after the other. What is interrupted can be sent again. */
const changeAll = async (db: Db, act: Act, change: Change): Promise<Result[]> => {
  const results: Result[] = []
  for (const id of change.commissions) {
    if (change.change === 'hold') {
      const held = await holdCommission(db, act, id, change.note)
      if (held) results.push(held)
      continue
    }
    const commission = await resolveHold(db, act, id, 'released')
    if (commission) results.push({ commission, refusal: refusalOf(commission.resolution, 'released') })
  }
  return results
}

const Refused = ({ base, refused }: { base: string; refused: Result[] }) => (
  <Table caption="Not changed" head={['Partner', { number: 'Amount' }, 'Reason']}>
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
  managersOnly(),
  form(),
  async (c) => {
    const base = `/app/${c.var.workspace.slug}`
    const fields = c.req.valid('form')
    const read = Change.safeParse({ note: '', ...fields, commissions: chosenIn(fields) })
    if (!read.success)
      throw new ApiError('invalid_body', read.error.issues[0]?.message ?? 'Choose commissions.')
    const results = await changeAll(c.var.db, actOf(c), read.data)
    const refused = results.filter(({ refusal }) => refusal !== null)
    const count = counted(results.length - refused.length, 'commission')
    const title = `${count} ${read.data.change === 'hold' ? 'held' : 'released'}`
    const children = (
      <>
        <h1>{title}</h1>
        {refused.length > 0 && <Refused base={base} refused={refused} />}
        <p>
          <a href={`${base}/commissions`}>Back to the commissions</a>
        </p>
      </>
    )
    return renderPage(c, { title, section: '/commissions', children })
  },
)
