import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { PartnerName } from '../../../lib/pages/tables/ledger.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import {
  listResolvable,
  resolveOfRun,
} from '../../../lib/payouts/corrections/resolution.queries.ts'
import { commonRefusalOf } from '../../../lib/payouts/corrections/resolution.ts'
import type { PayoutRow } from '../../../lib/payouts/payouts.queries.ts'
import { MAX_RESOLVED, RunResolution } from '../../../lib/payouts/payouts.schemas.ts'
import { transferGroup } from '../../../lib/payouts/payouts.ts'
import { findRun } from '../../../lib/payouts/runs/runs.queries.ts'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { portalOf, ReasonField } from '../payouts/payout-action.tsx'
import { ResolutionButtons, ResolutionEffect } from '../payouts/payout-actions.tsx'

const PATH = '/app/:workspace/payouts/runs/:id/resolve'

/** The checkbox of a payout: payout-0192.... */
const BOX = /^payout-(.+)$/

const idsIn = (fields: Fields): string[] =>
  Object.keys(fields).flatMap((name) => BOX.exec(name)?.[1] ?? [])

type Props = {
  base: string
  runId: string
  /** One row more than the page shows, if there are more. */
  payouts: PayoutRow[]
  refusal?: string | undefined
  fields?: Fields
  errors?: ErrorDetail[]
}

/** The payouts of a run that a manager resolves, all selected. */
const ResolvePage = ({ base, runId, payouts, refusal, fields, errors }: Props) => {
  const run = `${base}/payouts/runs/${runId}`
  return (
    <>
      <h1>{t(m.payouts_these_payouts_sent)}</h1>
      <Problem
        message={refusal}
        errors={errors}
        labels={{ reason: t(m.layout_reason), payoutIds: t(m.nav_payouts) }}
      />
      {payouts.length === 0 ? (
        <>
          <p>{t(m.payouts_nothing_decide_about)}</p>
          <LinkLine href={run}>{t(m.payouts_back_payout_run)}</LinkLine>
        </>
      ) : (
        <form method="post">
          <p>{t(m.payouts_stripe_could_not_asked)}</p>
          <ResolutionEffect />
          <p>{t(m.payouts_clear_the_others, { link: linkTo('#reason') })}</p>
          <PayoutBoxes base={base} payouts={payouts.slice(0, MAX_RESOLVED)} fields={fields} />
          {payouts.length > MAX_RESOLVED && <p>{t(m.payouts_more_listed_once)}</p>}
          <ReasonField hint={t(m.payouts_how_you_know)} {...{ fields, errors }} />
          <div class="actions">
            <ResolutionButtons /> <a href={run}>{t(m.cancel)}</a>
          </div>
        </form>
      )}
    </>
  )
}

const PayoutBoxes = ({
  base,
  payouts,
  fields,
}: Pick<Props, 'base' | 'payouts'> & { fields: Fields | undefined }) => (
  <div id="payoutIds">
    <Table
      caption={t(m.payouts_decide_about)}
      head={[
        t(m.payouts_selected),
        t(m.partner),
        { number: t(m.amount_column) },
        t(m.reference_column),
        t(m.payouts_transfer_group),
        t(m.payouts_last_answer),
      ]}
    >
      {payouts.map(
        ({ id, partnerId, partnerName, partnerSlug, amountCents, currency, ...payout }) => (
          <tr>
            <td>
              <input
                type="checkbox"
                name={`payout-${id}`}
                checked={!fields || `payout-${id}` in fields}
                aria-label={t(m.payouts_decide_about_one, { reference: payout.reference })}
              />
            </td>
            <td class="name">
              <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
            </td>
            <td class="number">{money(amountCents, currency)}</td>
            <td class="nowrap">{payout.reference}</td>
            <td>
              <code>{transferGroup(id)}</code>
            </td>
            <td class="words">{payout.lastError}</td>
          </tr>
        ),
      )}
    </Table>
  </div>
)

type Shown = Omit<Props, 'base' | 'runId' | 'payouts'>

const show = async (c: Context<WorkspaceEnv>, shown: Shown, status: 200 | 400 | 409 = 200) => {
  const { db, workspace, now } = c.var
  const run = await readById(c, 'payout run', findRun)
  const payouts = await listResolvable(db, workspace.id, run.id, { now, limit: MAX_RESOLVED + 1 })
  const base = `/app/${workspace.slug}`
  const children = <ResolvePage {...{ base, payouts, ...shown }} runId={run.id} />
  return renderSection(c, '/payouts', m.payouts_unclear_payouts, children, status)
}

/**
 * /app/:workspace/payouts/runs/:id/resolve: decides whether payouts were sent, if Stripe cannot
 * say. Managers only.
 */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c, {}))
  .post(PATH, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const { db, workspace, now } = c.var
    const fields = c.req.valid('form')
    const input = { outcome: fields.outcome, reason: fields.reason ?? '', payoutIds: idsIn(fields) }
    const { data, errors } = checkForm(RunResolution, { input })
    if (errors) return show(c, { fields, errors }, 400)
    const run = await readById(c, 'payout run', findRun)
    const portalUrl = portalOf(c)
    const payouts = await resolveOfRun(db, actOf(c), { ...data, runId: run.id, portalUrl })
    const refusal = commonRefusalOf(payouts, data, now)
    if (refusal) return show(c, { refusal }, 409)
    const done = `resolved_all_${data.outcome}`
    return c.redirect(`/app/${workspace.slug}/payouts/runs/${run.id}?done=${done}`, 303)
  })
