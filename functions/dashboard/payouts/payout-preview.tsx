import type { Child } from 'hono/jsx'
import * as m from '../../../lib/languages/messages.ts'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { moneySums, NeedsSetup } from '../../../lib/pages/parts/payouts.tsx'
import { name, strong } from '../../../lib/pages/parts/tags.tsx'
import type { RunResultResponse } from '../../../lib/payouts/payouts.responses.ts'
import type { PayoutMethod } from '../../../lib/payouts/payouts.ts'
import { hasLimits, type RunLimits, type Total } from '../../../lib/payouts/runs/limits.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { formatMoney } from '../../../lib/values/money.ts'
import { LimitsForm, previewJson } from '../runs/run-limits.tsx'
import { Lines } from './payout-lines.tsx'

/** Whether a run would pay nobody, and only mail partners who have not connected an account. */
export const onlyNotifies = ({ payouts, skipped }: RunResultResponse): boolean =>
  payouts.length === 0 && skipped.some(({ code }) => code === 'not_connected')

const PAY_BUTTON: Record<PayoutMethod, (sum: string) => string> = {
  stripe: (sum) => t(m.payouts_pay_with_stripe, { sum }),
  manual: (sum) => t(m.payouts_pay_bank_transfer, { sum }),
}

type Props = {
  workspace: Workspace
  method: PayoutMethod
  program: { id: string; name: string } | null
  result: RunResultResponse
  names: Map<string, { name: string | null; slug: string }>
  isReady: boolean
  limits: RunLimits
  /** The previous preview, if the run would now pay more. */
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
  const programName = program?.name ?? 'none'
  return (
    <>
      <h1>
        {method === 'stripe'
          ? t(m.payouts_stripe_payout_preview)
          : t(m.payouts_bank_transfer_preview)}
      </h1>
      <Problem message={before && changedSince(before, result.totals)} />
      <p>
        {payouts.length === 0
          ? t(m.payouts_preview_none, { program: programName, name })
          : t(m.payouts_preview_sum, { program: programName, sum, count: partners, strong, name })}
      </p>
      <Shortage result={result} />
      {isReady && <Unread result={result} />}
      {!isReady && <NeedsSetup workspace={workspace} method={method} />}
      {isReady && payouts.length > 0 && (
        <RunForm {...form} button={PAY_BUTTON[method](sum)}>
          {method === 'stripe'
            ? t(m.payouts_transfers_stripe_account)
            : t(m.payouts_reserves_payouts_creates)}{' '}
          {t(m.payouts_becomes_payable_later)}
        </RunForm>
      )}
      {isReady && onlyNotifies(result) && (
        <RunForm {...form} button={t(m.payouts_email_partners_connect)}>
          {t(m.payouts_emails_each_partner)}
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
          <h2>{t(m.nav_payouts)}</h2>
          <Lines
            base={base}
            caption={t(m.nav_payouts)}
            lines={payouts}
            names={names}
            {...excluded}
          />
        </>
      )}
      {skipped.length > 0 && (
        <>
          <h2>{t(m.payouts_skipped)}</h2>
          <Lines
            base={base}
            caption={t(m.payouts_skipped)}
            lines={skipped}
            names={names}
            {...excluded}
          />
        </>
      )}
      {payouts.length === 0 && (
        <LinkLine href={`${base}/payouts`}>{t(m.payouts_back_to_payouts)}</LinkLine>
      )}
    </>
  )
}

/** The amount that is missing at Stripe, by currency, and who is paid first. */
const Shortage = ({ result: { available, skipped } }: Pick<Props, 'result'>) => {
  const missing = skipped.filter(({ code }) => code === 'insufficient_funds')
  if (!available || missing.length === 0) return null
  const short = new Set(missing.map(({ currency }) => currency))
  const amounts = [...short].map(
    (code) =>
      available.find(({ currency }) => currency === code) ?? { currency: code, amountCents: 0 },
  )
  return (
    <p>
      {t(m.payouts_shortage, {
        available: moneySums(amounts),
        missing: moneySums(missing),
        count: new Set(missing.map(({ partnerId }) => partnerId)).size,
        strong,
      })}
    </p>
  )
}

/** Skip reasons that may be outdated if accounts could not be read. */
const BY_ACCOUNT: readonly string[] = ['not_connected', 'account_in_review', 'account_restricted']

/** What could not be read from Stripe, and the consequences. */
export const Unread = ({ result: { unread, skipped } }: Pick<Props, 'result'>) => (
  <>
    {unread.includes('balance') && <p class="hint">{t(m.payouts_balance_unread)}</p>}
    {unread.includes('accounts') && skipped.some(({ code }) => BY_ACCOUNT.includes(code)) && (
      <p class="hint">{t(m.payouts_accounts_unread)}</p>
    )}
  </>
)

/** The previous totals, and the current ones. */
const changedSince = (before: Total[], now: Total[]): string =>
  t(m.payouts_changed_since_saw, { before: wordsOf(before), now: wordsOf(now) })

const wordsOf = (totals: Total[]): string =>
  totals.length === 0
    ? 'none'
    : totals
        .map(({ currency, amountCents, count }) =>
          t(m.payouts_sum_in_payouts, { amount: formatMoney(amountCents, currency), count }),
        )
        .join(', ')

type RunFormProps = Pick<Props, 'method' | 'program'> & {
  base: string
  /** The limits of the run: see `previewJson`. */
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
      <button type="submit">{button}</button> <a href={`${base}/payouts`}>{t(m.cancel)}</a>
    </p>
  </form>
)

/** Why no run can start. */
export const RefusedPage = ({ base, message }: { base: string; message: string }) => (
  <>
    <h1>{t(m.payouts_new_payout_run)}</h1>
    <Problem message={message} />
    <LinkLine href={`${base}/payouts`}>{t(m.payouts_back_to_payouts)}</LinkLine>
  </>
)
