/** The page that says who would be paid what, and who would not and why, before anything is paid. */
import type { Child } from 'hono/jsx'
import { formatMoney } from '../../lib/money.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Problem, Table, wordsFor } from '../../lib/pages/parts.tsx'
import { moneySums, NeedsKey } from '../../lib/pages/payouts.tsx'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { PayoutMethod, SkipCode } from '../../lib/payouts/payouts.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

/** Of long lists, as many as anybody reads through: the sums are those of all. */
export const SHOWN_LINES = 200

const SKIP_WORDS: Record<SkipCode, string> = {
  not_connected: 'Has not connected a Stripe account yet. A mail tells each partner so, once.',
  partner_banned: 'Is banned.',
  below_minimum: 'Is below the program’s minimum payout.',
  negative_balance: 'More was taken back than earned since: it waits until that is made up for.',
}

type Line = { partnerId: string; currency: string; amountCents: number }

/** Whether nobody can be paid, and some only because they have not connected: a run tells them what to do. */
export const isToTell = ({ payouts, skipped }: RunResultResponse): boolean =>
  payouts.length === 0 && skipped.some(({ code }) => code === 'not_connected')

const PAY_BUTTON: Record<PayoutMethod, (sum: string) => string> = {
  stripe: (sum) => `Pay ${sum} by Stripe`,
  manual: (sum) => `Pay ${sum} by bank`,
}

type Props = {
  workspace: Workspace
  method: PayoutMethod
  program: { id: string; name: string } | null
  result: RunResultResponse
  names: Map<string, { name: string | null; slug: string }>
  /** Whether there is what this method takes. */
  isReady: boolean
}

/** Says who would be paid, and pays when a manager says so. */
export const PreviewPage = ({ workspace, method, program, result, names, isReady }: Props) => {
  const base = `/app/${workspace.slug}`
  const { payouts, skipped } = result
  const partners = new Set(payouts.map(({ partnerId }) => partnerId)).size
  const sum = moneySums(payouts)
  return (
    <>
      <h1>{method === 'stripe' ? 'Pay by Stripe?' : 'Pay by bank?'}</h1>
      <p>
        {program ? (
          <>
            Of the program <bdi>{program.name}</bdi>:{' '}
          </>
        ) : (
          'Of all programs: '
        )}
        {payouts.length === 0 ? (
          'nobody is to be paid anything now.'
        ) : (
          <>
            <strong>{sum}</strong> to {counted(partners, 'partner')}.
          </>
        )}
      </p>
      {!isReady && <NeedsKey base={base} />}
      {isReady && payouts.length > 0 && (
        <RunForm base={base} method={method} program={program} button={PAY_BUTTON[method](sum)}>
          {method === 'stripe'
            ? 'The money goes from your Stripe account to theirs, at once.'
            : 'This sets the payouts aside for you to pay, and makes a file for your bank. Nothing is sent.'}{' '}
          What has become payable until you press the button goes with it.
        </RunForm>
      )}
      {isReady && isToTell(result) && (
        <RunForm base={base} method={method} program={program} button="Tell them to connect">
          Who has not connected an account can be told so by mail, with the way to do it. A mail goes to each
          of them once: who was told before is not told again.
        </RunForm>
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

type RunFormProps = Pick<Props, 'method' | 'program'> & { base: string; button: string; children: Child }

/** The button that begins the run, and what it does. */
const RunForm = ({ base, method, program, button, children }: RunFormProps) => (
  <form method="post" action={`${base}/payouts/new`}>
    <input type="hidden" name="method" value={method} />
    {program && <input type="hidden" name="programId" value={program.id} />}
    <p>{children}</p>
    <p class="actions">
      <button type="submit">{button}</button> <a href={`${base}/payouts`}>Not now</a>
    </p>
  </form>
)

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
