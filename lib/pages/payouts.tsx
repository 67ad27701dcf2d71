/** Payouts and runs on several pages. */

import { formatMoney } from '../money.ts'
import type { PayoutRow } from '../payouts/payouts.queries.ts'
import type { PayoutMethod, PayoutStatus } from '../payouts/payouts.ts'
import { countPayouts, type Run } from '../payouts/runs.queries.ts'
import { counted } from '../plural.ts'
import { PartnerName, Status } from './ledger.tsx'
import { Table, Time } from './parts.tsx'

/** By what partners are paid. */
export const METHOD_WORDS: Record<PayoutMethod, string> = { stripe: 'Stripe', manual: 'Bank' }

/** What there is to know of a payout beyond its status: why it waits, or why it failed. */
const note = ({ status, lastError: error }: PayoutRow): string => {
  if (!error) return ''
  if (status === 'processing') return `Waits, and is tried again by itself: ${error}`
  return status === 'failed' ? `${error} Its commissions are payable again.` : ''
}

/** What a payout comes to, which leads to what it is made of, unless it has let go of that. */
const Amount = ({ base, payout }: { base: string; payout: PayoutRow }) => {
  const amount = formatMoney(payout.amountCents, payout.currency)
  const isMade = payout.status === 'processing' || payout.status === 'paid'
  if (!isMade) return <span>{amount}</span>
  return <a href={`${base}/commissions?payoutId=${payout.id}`}>{amount}</a>
}

/** A list of payouts. @param of what all of them have in common, which needs no column then */
export const PayoutTable = ({
  base,
  of,
  payouts,
}: {
  base: string
  of?: 'partner' | 'run'
  payouts: PayoutRow[]
}) => (
  <Table
    caption="Payouts"
    head={[
      ...(of === 'run' ? [] : ['Made']),
      ...(of === 'partner' ? [] : ['Partner']),
      { number: 'Amount' },
      'Status',
      ...(of === 'run' ? [] : ['Paid by']),
      'Sent',
      'Note',
    ]}
  >
    {payouts.map((payout) => (
      <tr>
        {of !== 'run' && (
          <td>
            <a href={`${base}/payouts/runs/${payout.runId}`}>
              <Time at={payout.createdAt} />
            </a>
          </td>
        )}
        {of !== 'partner' && (
          <td>
            <PartnerName
              base={base}
              id={payout.partnerId}
              name={payout.partnerName}
              slug={payout.partnerSlug}
            />
          </td>
        )}
        <td class="number">
          <Amount base={base} payout={payout} />
        </td>
        <td>
          <Status status={payout.status} />
        </td>
        {of !== 'run' && <td>{METHOD_WORDS[payout.method]}</td>}
        <td>{payout.paidAt && <Time at={payout.paidAt} />}</td>
        <td class={payout.lastError ? 'words' : undefined}>
          {payout.transferId ? <code>{payout.transferId}</code> : note(payout)}
        </td>
      </tr>
    ))}
  </Table>
)

/** What some amounts come to, each currency on its own: "49.00 USD, 1,200 JPY". */
export const moneySums = (amounts: { currency: string; amountCents: bigint | number }[]): string =>
  [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, parts]) =>
      formatMoney(
        parts.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n),
        currency,
      ),
    )
    .join(', ')

/** Where the key is set that paying by Stripe takes. @param base the workspace's path */
export const NeedsKey = ({ base }: { base: string }) => (
  <p class="hint">
    To pay by Stripe, <a href={`${base}/stripe#paying`}>give Tributary a key of your Stripe account</a> first.
    Until then partners can’t connect theirs.
  </p>
)

const count = (run: Run, status: PayoutStatus, words: string): string[] => {
  const payouts = countPayouts(run, status)
  return payouts > 0 ? [`${payouts.toLocaleString('en')} ${words}`] : []
}

/** How far a run is, such as "412 of 500 payouts sent, 3 failed". */
export const progressWords = (run: Run): string => {
  if (!run.claimedAt) return `Being put together: ${counted(countPayouts(run), 'payout')} so far`
  const all = countPayouts(run)
  if (all === 0) return 'Nothing was due'
  const sent = countPayouts(run, 'paid').toLocaleString('en')
  const done = run.method === 'manual' ? 'paid' : 'sent'
  return [
    `${sent} of ${counted(all, 'payout')} ${done}`,
    ...count(run, 'failed', 'failed'),
    ...count(run, 'canceled', 'canceled'),
  ].join(', ')
}
