/** The page that says who would be paid what, and who would not and why, before anything is paid. */
import type { Workspace } from '../../lib/data/workspaces.ts'
import { formatMoney } from '../../lib/domain/money.ts'
import type { PayoutMethod, SkipCode } from '../../lib/domain/payouts.ts'
import { counted } from '../../lib/domain/plural.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Problem, Table, wordsFor } from '../../lib/pages/parts.tsx'
import type { RunResult } from '../../lib/stripe/payouts-service.ts'

/** Of long lists, as many as anybody reads through: the sums are those of all. */
export const SHOWN_LINES = 200

const SKIP_WORDS: Record<SkipCode, string> = {
  not_connected: 'Has not connected a Stripe account yet. A mail tells each partner so, once.',
  partner_banned: 'Is banned.',
  below_minimum: 'Is below the program’s minimum payout.',
  negative_balance: 'More was taken back than earned since: it waits until that is made up for.',
}

type Line = { partnerId: string; currency: string; amountCents: number }

/** The sum of each currency. */
const sums = (lines: Line[]): string[] =>
  [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, parts]) =>
    formatMoney(
      parts.reduce((sum, { amountCents }) => sum + amountCents, 0),
      currency,
    ),
  )

const PAY_BUTTON: Record<PayoutMethod, (sum: string) => string> = {
  stripe: (sum) => `Pay ${sum} by Stripe`,
  manual: (sum) => `Pay ${sum} by bank`,
}

type Props = {
  workspace: Workspace
  method: PayoutMethod
  program: { id: string; name: string } | null
  result: RunResult
  names: Map<string, { name: string | null; slug: string }>
}

export const PreviewPage = ({ workspace, method, program, result, names }: Props) => {
  const base = `/app/${workspace.slug}`
  const { payouts, skipped } = result
  const partners = new Set(payouts.map(({ partnerId }) => partnerId)).size
  const sum = sums(payouts).join(' and ')
  return (
    <>
      <h1>{method === 'stripe' ? 'Pay by Stripe?' : 'Pay by bank?'}</h1>
      <p>
        {program ? `Of the program ${program.name}: ` : 'Of all programs: '}
        {payouts.length === 0 ? (
          'nobody is to be paid anything now.'
        ) : (
          <>
            <strong>{sum}</strong> to {counted(partners, 'partner')}.
          </>
        )}
      </p>
      {payouts.length > 0 && (
        <form method="post" action={`${base}/payouts/new`}>
          <input type="hidden" name="method" value={method} />
          {program && <input type="hidden" name="programId" value={program.id} />}
          <p>
            {method === 'stripe'
              ? 'The money goes from your Stripe account to theirs, at once.'
              : 'This sets the payouts aside for you to pay, and makes a file for your bank. Nothing is sent.'}{' '}
            What has become payable until you press the button goes with it.
          </p>
          <p class="actions">
            <button type="submit">{PAY_BUTTON[method](sum)}</button> <a href={`${base}/payouts`}>Not now</a>
          </p>
        </form>
      )}
      {payouts.length > 0 && (
        <>
          <h2>Who is paid</h2>
          <Lines base={base} caption="Who is paid" lines={payouts} names={names} />
        </>
      )}
      {skipped.length > 0 && (
        <>
          <h2>Who is left out</h2>
          <Lines base={base} caption="Who is left out" lines={skipped} names={names} />
        </>
      )}
      {payouts.length === 0 && (
        <p>
          <a href={`${base}/payouts`}>Back to the payouts</a>
        </p>
      )}
    </>
  )
}

type LinesProps = {
  base: string
  caption: string
  lines: (Line & { code?: string })[]
  names: Props['names']
}

const Lines = ({ base, caption, lines, names }: LinesProps) => {
  const hasReasons = lines.some(({ code }) => code !== undefined)
  const rest = lines.length - SHOWN_LINES
  return (
    <>
      <Table caption={caption} head={['Partner', { number: 'Amount' }, ...(hasReasons ? ['Why'] : [])]}>
        {lines.slice(0, SHOWN_LINES).map(({ partnerId, currency, amountCents, code }) => (
          <tr>
            <td>
              <PartnerName
                base={base}
                id={partnerId}
                name={names.get(partnerId)?.name ?? null}
                slug={names.get(partnerId)?.slug ?? partnerId}
              />
            </td>
            <td class="number">{formatMoney(amountCents, currency)}</td>
            {code !== undefined && <td class="words">{wordsFor(SKIP_WORDS, code) ?? code}</td>}
          </tr>
        ))}
      </Table>
      {rest > 0 && <p>And {rest.toLocaleString('en')} more.</p>}
    </>
  )
}

/** Why nothing can be paid. */
export const RefusedPage = ({ base, message }: { base: string; message: string }) => (
  <>
    <h1>Pay partners</h1>
    <Problem message={message} />
    <p>
      <a href={`${base}/payouts`}>Back to the payouts</a>
    </p>
  </>
)
