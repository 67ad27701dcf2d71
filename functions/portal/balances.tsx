/** A partner's balance in one program. */

import { formatMoney } from '../../lib/money.ts'
import { Day } from '../../lib/pages/portal.tsx'
import { nextOccurrence } from '../../lib/payouts/runs.ts'
import type { Balance, Partnership } from '../../lib/portal/portal.queries.ts'

/** What a partner is owed and was paid, in one currency. */
const BalanceNumbers = ({ balance, minimumCents }: { balance: Balance; minimumCents: bigint }) => {
  const { currency, pendingCents, payableCents, processingCents, paidCents } = balance
  const numbers: [label: string, cents: bigint][] = [
    ['Pending', pendingCents],
    ['Payable', payableCents],
    ['On its way', processingCents],
    ['Paid', paidCents],
  ]
  return (
    <>
      <dl class="balance">
        {numbers.map(([label, cents]) => (
          <div>
            <dt>{label}</dt>
            <dd>{formatMoney(cents, currency)}</dd>
          </div>
        ))}
      </dl>
      {payableCents < 0n && (
        <p class="hint">
          More was taken back than is payable, as when a sale is refunded after you were paid for it. It is
          set off against what you earn next; nothing is asked of you.
        </p>
      )}
      {payableCents > 0n && payableCents < minimumCents && (
        <p class="hint">
          This program pays from {formatMoney(minimumCents, currency)} on: until that much is payable, it
          waits.
        </p>
      )}
    </>
  )
}

/** When what is payable goes out. A schedule pays by Stripe, so a workspace that doesn't has none that counts. */
const NextPayout = ({ partnership, now }: { partnership: Partnership; now: Date }) => {
  const { status, payoutSchedule: schedule, paysByStripe } = partnership
  const next = paysByStripe ? nextOccurrence(schedule, now) : null
  if (status === 'banned') return <>nothing is paid out while this program doesn’t work with you.</>
  if (!next) return <>payable goes out with the next payout, which the merchant decides on.</>
  return (
    <>
      payable goes out with the next payout, on <Day at={next} />.
    </>
  )
}

type Props = { partnership: Partnership; balances: Balance[]; now: Date }

/** What a partner is owed and was paid in one program, and when what is payable goes out. */
export const Balances = ({ partnership, balances, now }: Props) => (
  <>
    <h3>Your balance</h3>
    {balances.map((balance) => (
      <BalanceNumbers balance={balance} minimumCents={partnership.minimumPayoutCents} />
    ))}
    <p class="hint">
      {balances.length === 0 ? (
        'Nothing yet. What a sale earns you is pending while it may be refunded, and payable after that.'
      ) : (
        <>
          Pending is held while a sale may be refunded; <NextPayout partnership={partnership} now={now} />
        </>
      )}
    </p>
  </>
)
