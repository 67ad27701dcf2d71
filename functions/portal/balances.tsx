/** A partner's balance in one program. */

import { money } from '../../lib/pages/money.tsx'
import { Day } from '../../lib/pages/portal.tsx'
import { nextOccurrence } from '../../lib/payouts/schedules.ts'
import type { Balance, Partnership } from '../../lib/portal/portal.queries.ts'

type NumbersProps = {
  balance: Balance
  minimumCents: bigint
  /** What is due in all programs of the workspace, which the minimum is compared with. */
  dueCents: bigint
}

/** A partner's balance in one currency. */
const BalanceNumbers = ({ balance, minimumCents, dueCents }: NumbersProps) => {
  const { currency, heldCents, pendingCents, payableCents, processingCents, paidCents } = balance
  const numbers: [label: string, cents: bigint][] = [
    ...(heldCents === 0n ? [] : ([['In review', heldCents]] as [string, bigint][])),
    ['Pending', pendingCents],
    ['Payable', payableCents],
    ['Processing', processingCents],
    ['Paid', paidCents],
  ]
  return (
    <>
      <dl class="balance">
        {numbers.map(([label, cents]) => (
          <div>
            <dt>{label}</dt>
            <dd>{money(cents, currency)}</dd>
          </div>
        ))}
      </dl>
      {payableCents < 0n && (
        <p class="hint">
          Refunds or corrections after a payout made this balance negative. It is deducted from your future
          earnings. You have nothing to pay back.
        </p>
      )}
      {payableCents > 0n && dueCents < minimumCents && (
        <p class="hint">
          This program pays once {money(minimumCents, currency)} or more are due to you. Smaller balances are
          carried forward.
        </p>
      )}
    </>
  )
}

/** When payable commissions are paid. Schedules need Stripe, so they are ignored in a workspace without it. */
const NextPayout = ({ partnership, now }: { partnership: Partnership; now: Date }) => {
  const { status, paysByStripe } = partnership
  const next = paysByStripe ? nextOccurrence(partnership, now) : null
  if (status === 'banned') return <>No payouts are made while you are not active in this program.</>
  if (!next) return <>Payable commissions are paid when the merchant makes the next payout.</>
  return (
    <>
      Payable commissions are paid with the next payout, on <Day at={next} />.
    </>
  )
}

type Props = {
  partnership: Partnership
  balances: Balance[]
  /** What is due to the partner in all programs of the workspace, by currency. */
  due: ReadonlyMap<string, bigint>
  now: Date
}

/** A partner's balances in one program, and the next payout. */
export const Balances = ({ partnership, balances, due, now }: Props) => (
  <>
    <h3>Balance</h3>
    {balances.map((balance) => (
      <BalanceNumbers
        balance={balance}
        minimumCents={partnership.minimumPayoutCents}
        dueCents={due.get(balance.currency) ?? 0n}
      />
    ))}
    <p class="hint">
      {balances.length === 0 ? (
        'No earnings yet. Commissions are pending during the holding period for refunds, then payable.'
      ) : (
        <>
          Commissions are pending during the holding period for refunds.{' '}
          <NextPayout partnership={partnership} now={now} />
        </>
      )}
    </p>
  </>
)
