/** The page of a commission: its facts, its hold, and a manager's adjustment of it. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Field } from '../../lib/pages/fields.tsx'
import { PartnerName, Status, typeOf } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Done, Problem, Time } from '../../lib/pages/parts.tsx'
import type { CommissionRow } from '../../lib/tracking/commissions.queries.ts'
import { MAX_REASON_LENGTH } from '../../lib/tracking/commissions.schemas.ts'
import { commissionStatus, isOfShadowMode } from '../../lib/tracking/commissions.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { AdjustmentForm } from './adjustment-form.tsx'
import { ReversalForm } from './reversal-form.tsx'

/** A rejected form, or a step that was refused. */
export type RefusedForm = {
  form: 'adjustment' | 'hold' | 'reversal'
  fields: Fields
  errors: ErrorDetail[]
  message?: string
}

type Props = {
  workspace: Workspace
  commission: CommissionRow
  now: Date
  done: string | undefined
  refused: RefusedForm | undefined
}

export const CommissionPage = ({ workspace, commission, now, done, refused }: Props) => {
  const base = `/app/${workspace.slug}`
  const path = `${base}/commissions/${commission.id}`
  const of = (form: RefusedForm['form']) => (refused?.form === form ? refused : undefined)
  return (
    <>
      <p>
        <a href={`${base}/commissions`}>Commissions</a>
      </p>
      <h1>
        {typeOf(commission)} of {money(commission.amountCents, commission.currency)}
      </h1>
      <Done message={done} />
      <Problem message={refused?.message} errors={refused?.errors} />
      <Facts base={base} commission={commission} now={now} />
      {workspace.role === 'manager' && (
        <>
          {commission.kind !== 'reversal' && (
            <section class="card">
              <h2>Review</h2>
              {commission.isHeld ? <Decide path={path} /> : <Hold path={path} refused={of('hold')} />}
            </section>
          )}
          {commission.kind !== 'reversal' && commission.amountCents > 0n && (
            <section class="card">
              <h2>Reversal</h2>
              <p>Takes back all or a part. What was paid already is deducted from the next payout.</p>
              <ReversalForm
                action={`${path}/reverse`}
                currency={commission.currency}
                refused={of('reversal')}
              />
            </section>
          )}
          <section class="card">
            <h2>Adjustment</h2>
            <p>Adds to what the partner has earned, or deducts from it. It is payable at once.</p>
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

const Fact = ({ name, children }: { name: string; children: Child }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

/** A link to an event or a commission of the ledger. */
const Row = ({ base, what, id }: { base: string; what: 'event' | 'commission'; id: string }) => (
  <a href={`${base}/${what}s/${id}`}>View {what}</a>
)

const Facts = ({ base, commission, now }: { base: string; commission: CommissionRow; now: Date }) => {
  const { eventId, reversesId, payoutId, customerExternalId, adjustmentReason, correctsId } = commission
  return (
    <dl class="facts">
      <Fact name="Status">
        <Status status={commissionStatus(commission, now)} />
      </Fact>
      <Fact name="Partner">
        <PartnerName
          base={base}
          id={commission.partnerId}
          name={commission.partnerName}
          slug={commission.partnerSlug}
          isTest={commission.partnerIsTest}
        />
      </Fact>
      {customerExternalId !== null && <Fact name="Customer">{customerExternalId}</Fact>}
      <Fact name="Created">
        <Time at={commission.createdAt} />
        {commission.adjustedBy !== null && `, by ${commission.adjustedBy}`}
      </Fact>
      {adjustmentReason !== null && <Fact name="Reason">{adjustmentReason}</Fact>}
      <Fact name="Payable from">
        {isOfShadowMode(commission) ? 'Never: another platform pays it' : <Time at={commission.payableAt} />}
      </Fact>
      {(eventId ?? commission.adjustedEventId) !== null && (
        <Fact name="Event">
          <Row base={base} what="event" id={eventId ?? commission.adjustedEventId ?? ''} />,{' '}
          <a href={`${base}/commissions?eventId=${eventId ?? commission.adjustedEventId}`}>
            all its commissions
          </a>
        </Fact>
      )}
      {(reversesId ?? correctsId) !== null && (
        <Fact name={reversesId ? 'Reverses' : 'Corrects'}>
          <Row base={base} what="commission" id={reversesId ?? correctsId ?? ''} />
        </Fact>
      )}
      {payoutId !== null && (
        <Fact name="Payout">
          <a href={`${base}/commissions?payoutId=${payoutId}`}>View its commissions</a>
        </Fact>
      )}
      {commission.holdReason !== null && (
        <Fact name="Hold">
          <HoldFact commission={commission} />
        </Fact>
      )}
    </dl>
  )
}

const HoldFact = ({ commission }: { commission: CommissionRow }) => {
  const { holdReason, holdNote, heldBy, heldAt, resolution, resolvedAt, resolvedBy } = commission
  return (
    <>
      {holdReason === 'manual' ? `Held by ${heldBy}: “${holdNote}”` : 'Possible duplicate'}
      {heldAt && (
        <>
          , <Time at={heldAt} />
        </>
      )}
      {resolution && resolvedAt && (
        <>
          ; {resolution} {resolvedBy && `by ${resolvedBy} `}
          <Time at={resolvedAt} />
        </>
      )}
      .
    </>
  )
}

const Hold = ({ path, refused }: { path: string; refused: RefusedForm | undefined }) => (
  <form method="post" action={`${path}/hold`}>
    <p>A held commission is not paid until a manager releases it. The partner sees it as in review.</p>
    <Field
      label="Reason for the hold"
      name="note"
      hint="The partner sees it."
      required
      maxlength={MAX_REASON_LENGTH}
      autocomplete="off"
      value={refused?.fields.note}
      errors={refused?.errors}
    />
    <p>
      <button type="submit">Hold commission</button>
    </p>
  </form>
)

const Decide = ({ path }: { path: string }) => (
  <>
    <p>Releasing makes the commission payable after its holding period. Rejecting reverses it.</p>
    <div class="actions">
      <form method="post" action={`${path}/release`}>
        <button type="submit">Release</button>
      </form>
      <form method="post" action={`${path}/reject`}>
        <button type="submit" class="danger">
          Reject
        </button>
      </form>
    </div>
  </>
)
