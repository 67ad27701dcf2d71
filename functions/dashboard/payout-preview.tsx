/** The preview of a payout run: each payout, and each skipped partner with the reason. */
import type { Child } from 'hono/jsx'
import { formatMoney } from '../../lib/money.ts'
import { Problem } from '../../lib/pages/parts.tsx'
import { moneySums, NeedsSetup } from '../../lib/pages/payouts.tsx'
import { hasLimits, type RunLimits, type Total } from '../../lib/payouts/limits.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { Lines } from './payout-lines.tsx'
import { LimitsForm, previewJson } from './run-limits.tsx'

/** Whether a run would pay nobody, and only email partners who have not connected an account. */
export const onlyNotifies = ({ payouts, skipped }: RunResultResponse): boolean =>
  payouts.length === 0 && skipped.some(({ code }) => code === 'not_connected')

const PAY_BUTTON: Record<PayoutMethod, (sum: string) => string> = {
  stripe: (sum) => `Pay ${sum} with Stripe`,
  manual: (sum) => `Pay ${sum} by bank transfer`,
}

type Props = {
  workspace: Workspace
  method: PayoutMethod
  program: { id: string; name: string } | null
  result: RunResultResponse
  names: Map<string, { name: string | null; slug: string }>
  /** Whether the method is set up. */
  isReady: boolean
  limits: RunLimits
  /** What was shown before, if the run would now pay more. */
  before?: Total[] | undefined
}

/** The preview, with the button that starts the run. */
export const PreviewPage = (props: Props) => {
  const { workspace, method, program, result, names, isReady, limits, before } = props
  const base = `/app/${workspace.slug}`
  const form = { base, method, program, preview: previewJson(result, limits) }
  const excluded = { limits, isReady }
  const { payouts, skipped } = result
  const partners = new Set(payouts.map(({ partnerId }) => partnerId)).size
  const sum = moneySums(payouts)
  return (
    <>
      <h1>{method === 'stripe' ? 'Stripe payout preview' : 'Bank transfer preview'}</h1>
      <Problem message={before && changedSince(before, result.totals)} />
      <p>
        {payouts.length === 0 ? (
          'No payouts are due'
        ) : (
          <>
            <strong>{sum}</strong> to {counted(partners, 'partner')}
          </>
        )}
        {program && (
          <>
            {' '}
            in <bdi>{program.name}</bdi>
          </>
        )}
        .
      </p>
      <Shortage result={result} />
      {isReady && <Unread result={result} />}
      {!isReady && <NeedsSetup base={base} method={method} />}
      {isReady && payouts.length > 0 && (
        <RunForm {...form} button={PAY_BUTTON[method](sum)}>
          {method === 'stripe'
            ? 'Transfers from your Stripe account to the partners’ accounts start immediately.'
            : 'This reserves the payouts and creates a CSV file for your bank. No money is sent.'}{' '}
          What becomes payable later is left to the next run.
        </RunForm>
      )}
      {isReady && onlyNotifies(result) && (
        <RunForm {...form} button="Email partners to connect">
          Emails each partner without a usable account what to do. Partners who already received this email
          are not emailed again.
        </RunForm>
      )}
      {isReady && (payouts.length > 0 || hasLimits(limits)) && (
        <LimitsForm
          action={`${base}/payouts/new`}
          method={method}
          programId={program?.id ?? null}
          limits={limits}
          currencies={result.totals.map(({ currency }) => currency)}
        />
      )}
      {payouts.length > 0 && (
        <>
          <h2>Payouts</h2>
          <Lines base={base} caption="Payouts" lines={payouts} names={names} {...excluded} />
        </>
      )}
      {skipped.length > 0 && (
        <>
          <h2>Skipped</h2>
          <Lines base={base} caption="Skipped" lines={skipped} names={names} {...excluded} />
        </>
      )}
      {payouts.length === 0 && (
        <p>
          <a href={`${base}/payouts`}>Back to payouts</a>
        </p>
      )}
    </>
  )
}

/** What is missing at Stripe, by currency, and who is paid first. */
const Shortage = ({ result: { available, skipped } }: Pick<Props, 'result'>) => {
  const missing = skipped.filter(({ code }) => code === 'insufficient_funds')
  if (!available || missing.length === 0) return null
  const short = new Set(missing.map(({ currency }) => currency))
  const amounts = [...short].map(
    (code) => available.find(({ currency }) => currency === code) ?? { currency: code, amountCents: 0 },
  )
  return (
    <p>
      Available at Stripe: {moneySums(amounts)}. That leaves <strong>{moneySums(missing)}</strong> to{' '}
      {counted(new Set(missing.map(({ partnerId }) => partnerId)).size, 'partner')} unpaid. Your settings say
      who is paid first.
    </p>
  )
}

/** Skipped partners whose accounts may be ready by now. */
const BY_ACCOUNT: readonly string[] = ['not_connected', 'account_in_review', 'account_restricted']

/** What could not be read from Stripe, and what is not known therefore. */
export const Unread = ({ result: { unread, skipped } }: Pick<Props, 'result'>) => (
  <>
    {unread.includes('balance') && (
      <p class="hint">
        Stripe did not report your balance, so it is not known what it covers. Payouts that it does not cover
        wait until you top it up.
      </p>
    )}
    {unread.includes('accounts') && skipped.some(({ code }) => BY_ACCOUNT.includes(code)) && (
      <p class="hint">
        Stripe did not report on all accounts, so some of the partners who are skipped for their account may
        be ready by now. Preview the run again in a few minutes.
      </p>
    )}
  </>
)

/** What was shown before, and what a run would pay now. */
const changedSince = (before: Total[], now: Total[]): string =>
  `The payouts have changed since you saw them, so nothing was paid. They were ${wordsOf(before)}, and are ${wordsOf(now)} now. Check them again.`

const wordsOf = (totals: Total[]): string =>
  totals.length === 0
    ? 'none'
    : totals
        .map(
          ({ currency, amountCents, count }) =>
            `${formatMoney(amountCents, currency)} in ${counted(count, 'payout')}`,
        )
        .join(', ')

type RunFormProps = Pick<Props, 'method' | 'program'> & {
  base: string
  /** What the run may pay: see `previewJson`. */
  preview: string
  button: string
  children: Child
}

/** The button that starts a run, and its effect. */
const RunForm = ({ base, method, program, preview, button, children }: RunFormProps) => (
  <form method="post" action={`${base}/payouts/new`}>
    <input type="hidden" name="method" value={method} />
    {program && <input type="hidden" name="programId" value={program.id} />}
    <input type="hidden" name="preview" value={preview} />
    <p>{children}</p>
    <p class="actions">
      <button type="submit">{button}</button> <a href={`${base}/payouts`}>Cancel</a>
    </p>
  </form>
)

/** Why no run can start. */
export const RefusedPage = ({ base, message }: { base: string; message: string }) => (
  <>
    <h1>New payout run</h1>
    <Problem message={message} />
    <p>
      <a href={`${base}/payouts`}>Back to payouts</a>
    </p>
  </>
)
