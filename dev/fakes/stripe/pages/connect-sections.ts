/** The overview's sections for Connect: accounts, transfers, balances. */
import { html } from 'hono/html'
import type Stripe from 'stripe'
import { type Connected, type Step, transfersOf } from '../accounts.ts'
import type { Platform, Platforms } from '../platforms.ts'
import { idOf } from '../store.ts'
import { type Html, money, STRIPE_PATH } from './layout.ts'
import { button, entry, MAX_SHOWN, section, time } from './parts.ts'

const nameOf = ({ name, email, id }: Connected): string => name ?? email ?? id

const STEPS: Readonly<
  Record<'good' | 'in_review' | 'restricted' | 'rejected', [step: Step, text: string][]>
> = {
  good: [
    ['restrict', 'Restrict'],
    ['reject', 'Reject'],
    ['close', 'Close'],
  ],
  in_review: [
    ['restore', 'Approve'],
    ['restrict', 'Restrict'],
  ],
  restricted: [
    ['restore', 'Restore'],
    ['close', 'Close'],
  ],
  rejected: [
    ['restore', 'Restore'],
    ['close', 'Close'],
  ],
}

/** What the bank of an account that can be paid may do. */
const bankSteps = (account: Connected): [path: string, text: string][] => {
  if (transfersOf(account) !== 'active') return []
  return account.refused
    ? [['change_bank', 'Change bank']]
    : [
        ['payouts/paid', 'Pay out'],
        ['payouts/refused', 'Refuse payout'],
      ]
}

const accountItem = (account: Connected): Html => {
  const { id, created, standing, progress } = account
  const status = standing === 'closed' ? 'closed' : transfersOf(account)
  const steps = standing === 'closed' ? [] : STEPS[standing]
  const unfinished: [Step, string][] =
    standing !== 'closed' && progress !== 'finished' ? [['onboard', 'Finish']] : []
  return entry(
    html`<p>${nameOf(account)} <span class="status">${status}</span>${progress === 'half_way' ? html` <span class="status">onboarding incomplete</span>` : ''}</p>
<p class="muted"><code>${id}</code>, ${time(created.getTime() / 1_000)}</p>`,
    [...bankSteps(account), ...unfinished, ...steps].map(([step, text]) =>
      button(`/accounts/${id}/${step}`, text, nameOf(account)),
    ),
  )
}

const transferItem = ({ accounts }: Platform, transfer: Stripe.Transfer): Html => {
  const account = accounts.find(idOf(transfer.destination))
  return entry(
    html`<p>${money(transfer.amount, transfer.currency)} to ${account ? nameOf(account) : 'an unknown account'}</p>
<p class="muted"><code>${transfer.id}</code>${transfer.transfer_group ? html`, <code>${transfer.transfer_group}</code>` : ''}, ${time(transfer.created)}${transfer.amount_reversed ? html`, ${money(transfer.amount_reversed, transfer.currency)} reversed` : ''}</p>`,
    transfer.reversed ? [] : [button(`/transfers/${transfer.id}/reverse`, 'Reverse', transfer.id)],
  )
}

const balanceForm = (
  platform: Platform,
): Html => html`<form method="post" action="${STRIPE_PATH}/balance" class="inline">
<input type="hidden" name="platform" value="${platform.id}">
<input name="currency" value="usd" aria-label="Currency of the balance of ${platform.id}" autocomplete="off" required>
<input name="amount" inputmode="numeric" aria-label="Balance of ${platform.id}, in minor units" placeholder="in cents" autocomplete="off" required>
<button aria-label="Set the balance of ${platform.id}">Set</button>
</form>`

const balanceItem = (platforms: Platforms, platform: Platform): Html =>
  entry(
    html`<p>${platforms
      .currenciesOf(platform)
      .map((currency) => money(platforms.balanceOf(platform, currency), currency))
      .join(', ')}</p>
<p class="muted"><code>${platform.id}</code></p>`,
    [balanceForm(platform)],
  )

/** The sections, for all platforms, newest first. */
export const connectSections = (platforms: Platforms): Html => {
  const all = platforms.list()
  const accounts = all
    .flatMap((platform) => platform.accounts.list())
    .sort((one, other) => other.created.getTime() - one.created.getTime())
  const transfers = all
    .flatMap((platform) => platform.transfers.list().map((transfer) => ({ platform, transfer })))
    .sort((one, other) => other.transfer.created - one.transfer.created)
  return html`${section('Connected accounts', accounts.slice(0, MAX_SHOWN).map(accountItem), 'No connected accounts yet.')}
${section(
  'Transfers',
  transfers.slice(0, MAX_SHOWN).map(({ platform, transfer }) => transferItem(platform, transfer)),
  'No transfers yet.',
)}
${section(
  'Balances',
  all.slice(0, MAX_SHOWN).map((platform) => balanceItem(platforms, platform)),
  'No platform has called the API yet.',
)}`
}
