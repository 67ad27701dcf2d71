/** A commission with its facts, its hold, and the forms that change it. */

import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton, Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { Done, Fact, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { typeOf } from '../../../lib/pages/tables/commission-table.tsx'
import { PartnerOf, Status } from '../../../lib/pages/tables/ledger.tsx'
import { commissionStatus, isOfShadowMode } from '../../../lib/rules/steps/commissions.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { CommissionRow } from '../../../lib/tracking/ledger/commissions.queries.ts'
import { MAX_REASON_LENGTH } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { AdjustmentForm } from './adjustment-form.tsx'
import { ReversalForm } from './reversal-form.tsx'

/** A rejected form, or the reason of a refused action. */
export type RefusedForm = {
  form: 'adjustment' | 'hold' | 'reversal'
  fields: Fields
  errors: ErrorDetail[]
  message?: Shown
}

type Props = {
  workspace: Workspace
  commission: CommissionRow
  now: Date
  done: Shown | undefined
  refused: RefusedForm | undefined
}

export const CommissionPage = ({ workspace, commission, now, done, refused }: Props) => {
  const base = `/app/${workspace.slug}`
  const path = `${base}/commissions/${commission.id}`
  const of = (form: RefusedForm['form']) => (refused?.form === form ? refused : undefined)
  return (
    <>
      <LinkLine href={`${base}/commissions`}>{t(m.nav_commissions)}</LinkLine>
      <h1>
        {t(m.commissions_title, {
          type: typeOf(commission),
          amount: money(commission.amountCents, commission.currency),
        })}
      </h1>
      <Done message={done} />
      <Problem message={refused?.message} errors={refused?.errors} />
      <Facts base={base} commission={commission} now={now} />
      {mayOpen(workspace, 'POST /commissions/:id/hold') && commission.kind !== 'reversal' && (
        <section class="card">
          <h2>{t(m.commissions_review)}</h2>
          {commission.isHeld ? <Decide path={path} /> : <Hold path={path} refused={of('hold')} />}
        </section>
      )}
      {mayOpen(workspace, 'POST /commissions/:id/adjust') && (
        <>
          {commission.kind !== 'reversal' && commission.amountCents > 0n && (
            <section class="card">
              <h2>{t(m.kind_reversal)}</h2>
              <p>{t(m.commissions_reversal_effect)}</p>
              <ReversalForm
                action={`${path}/reverse`}
                currency={commission.currency}
                refused={of('reversal')}
              />
            </section>
          )}
          <section class="card">
            <h2>{t(m.kind_adjustment)}</h2>
            <p>{t(m.commissions_adjustment_effect)}</p>
            <AdjustmentForm
              action={`${path}/adjust`}
              currency={commission.currency}
              isFixed
              refused={of('adjustment')}
            />
          </section>
        </>
      )}
    </>
  )
}

type FactsProps = { base: string; commission: CommissionRow; now: Date }

const Facts = ({ base, commission, now }: FactsProps) => {
  const { eventId, reversesId, payoutId, customerExternalId, adjustmentReason, correctsId } =
    commission
  return (
    <dl class="facts">
      <Fact name={m.status}>
        <Status status={commissionStatus(commission, now)} />
      </Fact>
      <Fact name={m.partner}>
        <PartnerOf base={base} row={commission} />
      </Fact>
      {customerExternalId !== null && <Fact name={m.layout_customer}>{customerExternalId}</Fact>}
      <Fact name={m.created_column}>
        {commission.adjustedBy === null ? (
          <Time at={commission.createdAt} />
        ) : (
          t(m.commissions_adjusted_by, {
            time: () => <Time at={commission.createdAt} />,
            by: commission.adjustedBy,
          })
        )}
      </Fact>
      {adjustmentReason !== null && <Fact name={m.layout_reason}>{adjustmentReason}</Fact>}
      {commission.bonusName !== null && <Fact name={m.kind_bonus}>{commission.bonusName}</Fact>}
      <Fact name={m.commissions_payable_from}>
        {isOfShadowMode(commission) ? (
          t(m.commissions_never_payable)
        ) : (
          <Time at={commission.payableAt} />
        )}
      </Fact>
      {(eventId ?? commission.adjustedEventId) !== null && (
        <Fact name={m.event_column}>
          {t(m.commissions_event_and_all, {
            event: linkTo(`${base}/events/${eventId ?? commission.adjustedEventId}`),
            all: linkTo(`${base}/commissions?eventId=${eventId ?? commission.adjustedEventId}`),
          })}
        </Fact>
      )}
      {(reversesId ?? correctsId) !== null && (
        <Fact name={reversesId ? m.commissions_reverses : m.commissions_corrects}>
          <a href={`${base}/commissions/${reversesId ?? correctsId}`}>
            {t(m.layout_view_commission)}
          </a>
        </Fact>
      )}
      {payoutId !== null && (
        <Fact name={m.payout}>
          <a href={`${base}/commissions?payoutId=${payoutId}`}>
            {t(m.commissions_view_its_commissions)}
          </a>
        </Fact>
      )}
      {commission.holdReason !== null && (
        <Fact name={m.commissions_hold_fact}>
          <HoldFact commission={commission} />
        </Fact>
      )}
    </dl>
  )
}

/** Why and since when a commission is held, and the decision. */
const HoldFact = ({ commission }: { commission: CommissionRow }) => {
  const { holdReason, holdNote, heldBy, heldAt, resolution, resolvedAt, resolvedBy } = commission
  const why =
    holdReason === 'manual'
      ? t(m.commissions_held_by, { by: heldBy ?? '', note: holdNote ?? '' })
      : t(m.commissions_possible_duplicate)
  const held = () => (heldAt ? <Time at={heldAt} /> : '')
  if (!resolution || !resolvedAt) return <>{t(m.commissions_hold_open, { why, held })}</>
  const resolved = () => <Time at={resolvedAt} />
  const decided = { why, held, resolution, resolved }
  return (
    <>
      {resolvedBy
        ? t(m.commissions_hold_resolved_by, { ...decided, by: resolvedBy })
        : t(m.commissions_hold_resolved, decided)}
    </>
  )
}

const Hold = ({ path, refused }: { path: string; refused: RefusedForm | undefined }) => (
  <form method="post" action={`${path}/hold`}>
    <p>{t(m.commissions_hold_effect)}</p>
    <Field
      label={t(m.commissions_hold_reason)}
      name="note"
      hint={t(m.commissions_partner_sees_it)}
      required
      maxlength={MAX_REASON_LENGTH}
      autocomplete="off"
      value={refused?.fields.note}
      errors={refused?.errors}
    />
    <Submit>{t(m.commissions_hold)}</Submit>
  </form>
)

const Decide = ({ path }: { path: string }) => (
  <>
    <p>{t(m.commissions_decide_effect)}</p>
    <div class="actions">
      <form method="post" action={`${path}/release`}>
        <button type="submit">{t(m.commissions_release)}</button>
      </form>
      <form method="post" action={`${path}/reject`}>
        <DangerButton>{t(m.commissions_reject)}</DangerButton>
      </form>
    </div>
  </>
)
