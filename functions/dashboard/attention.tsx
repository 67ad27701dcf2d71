/** What a manager should look at, on the overview. */
import { figure, money } from '../../lib/pages/money.tsx'
import { payableIn } from '../../lib/payouts/balances.ts'
import { counted } from '../../lib/plural.ts'
import { isSilent } from '../../lib/purchases/silence.ts'
import { isForMany, isOtherUnit } from '../../lib/tracking/unlikely-reports.ts'
import { MAX_COUNT, type Overview } from '../../lib/workspace/overview.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

const DAY_MS = 86_400_000

/** A count that stops at a limit. */
export const upToMost = (number: number): string =>
  number > MAX_COUNT ? `more than ${figure(MAX_COUNT)}` : figure(number)

const tally = (number: number, one: string, many: string): string =>
  `${upToMost(number)} ${number === 1 ? one : many}`

type Props = {
  overview: Overview
  /** The workspace's path. */
  base: string
  /** The reader's. */
  role: Workspace['role']
  now: Date
}

/** Most urgent first. */
const attentionOf = ({ overview, base, role, now }: Props) => [
  ...overview.earned.flatMap(({ currency }) => {
    const { blockedCents, owedCents } = payableIn(overview.balances, currency)
    return [
      {
        isOpen: blockedCents > 0n,
        text: `${money(blockedCents, currency)} is due to partners who can’t be paid yet`,
        href: `${base}/payouts`,
      },
      {
        isOpen: owedCents > 0n,
        text: `${money(owedCents, currency)} is owed back by partners`,
        href: `${base}/payouts`,
      },
    ]
  }),
  {
    isOpen: overview.applications > 0,
    text: tally(overview.applications, 'application waits', 'applications wait'),
    href: `${base}/applications?status=applied`,
  },
  {
    isOpen: overview.held > 0,
    text: tally(overview.held, 'commission is held for review', 'commissions are held for review'),
    href: `${base}/commissions/held`,
  },
  {
    isOpen: overview.likelyCredits > 0,
    text: tally(
      overview.likelyCredits,
      'recent sale with a click or a known customer is not credited',
      'recent sales with a click or a known customer are not credited',
    ),
    href: `${base}/uncredited?show=likely`,
  },
  {
    isOpen: overview.mismatches > 0,
    text: tally(
      overview.mismatches,
      'report of the last 7 days has the ID of another one',
      'reports of the last 7 days have the ID of another one',
    ),
    href: `${base}/mismatches`,
  },
  ...(overview.busiestCustomer ? [overview.busiestCustomer] : []).map((busiest) => ({
    isOpen: isForMany(busiest),
    text: `The customer ID “${busiest.customerExternalId}” has ${busiest.sales} of the latest ${busiest.ofSales} sales. Is it the ID of all guests?`,
    href: '/docs/guide-test-your-integration#one-customer-for-all-guests',
  })),
  ...overview.medianAmounts.map((medians) => ({
    isOpen: isOtherUnit(medians),
    text: `The typical sale of ${medians.program} went from ${money(medians.beforeCents, medians.currency)} to ${money(medians.latestCents, medians.currency)}. Are amounts in minor units?`,
    href: '/docs/guide-test-your-integration#cents',
  })),
  {
    isOpen: overview.failedPayouts > 0,
    text: tally(
      overview.failedPayouts,
      'payout of the last 30 days has failed',
      'payouts of the last 30 days have failed',
    ),
    href: `${base}/payouts/all?status=failed`,
  },
  ...(overview.deliveries ? [overview.deliveries] : []).map((deliveries) => ({
    isOpen: isSilent(deliveries, now),
    text: `Stripe has sent no event for ${counted(Math.floor((now.getTime() - deliveries.lastAt.getTime()) / DAY_MS), 'day')}`,
    href: `${base}/stripe`,
  })),
  {
    isOpen: overview.overdue > 0,
    text: tally(
      overview.overdue,
      'reported sale is missing from Stripe',
      'reported sales are missing from Stripe',
    ),
    href: `${base}/events?overdue=true`,
  },
  {
    isOpen: overview.failingEndpoints > 0,
    text: tally(overview.failingEndpoints, 'webhook endpoint fails', 'webhook endpoints fail'),
    href: `${base}/webhooks`,
  },
  {
    isOpen: overview.failedMails > 0,
    text: tally(overview.failedMails, 'email was not delivered', 'emails were not delivered'),
    href: `${base}/mails?status=failed`,
  },
  {
    isOpen: role === 'manager' && overview.managers < 2,
    text: 'This workspace has one manager. Without that mailbox, nobody could manage it: add a second manager',
    href: `${base}/members`,
  },
]

export const Attention = (props: Props) => {
  const open = attentionOf(props).filter(({ isOpen }) => isOpen)
  return (
    <section class="card">
      <h2>Needs attention</h2>
      {open.length === 0 ? (
        <p>
          Nothing. Applications, held commissions, sales without a partner, missing or unlikely sales, failed
          payouts, emails and webhooks, and a silent Stripe are listed here.
        </p>
      ) : (
        <ul class="attention">
          {open.map(({ text, href }) => (
            <li>
              <span>{text}</span>
              <a class="nowrap" href={href}>
                View<span class="hidden">: {text}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
