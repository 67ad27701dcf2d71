/** The findings of the checks as managers read them, with the pages that resolve them. */
import type { PageRoute } from '../../../lib/auth/roles/roles.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { MAX_COUNT } from '../../../lib/overview/findings.queries.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import type { Check, Finding } from '../../../lib/tracking/checks/findings.ts'

/** A count that stops at a limit. */
export const upToMost = (number: number): string =>
  number > MAX_COUNT ? t(m.overview_more_than, { number: figure(MAX_COUNT) }) : figure(number)

export const tally = (count: number, message: Message<{ count: number; shown: string }>): string =>
  t(message, { count, shown: upToMost(count) })

type Words = {
  name: Message
  /** Why it matters, and what to do. */
  help: Message
  text: (finding: Finding) => string
  /** The page that has more, under the workspace's path or `/docs`. */
  href: (finding: Finding) => string
  /** The page, where not everybody may open it. */
  route?: PageRoute
}

const GUIDE = '/docs/guide-test-your-integration'

const withCount =
  (message: Message<{ count: number; shown: string }>) =>
  ({ count }: Finding): string =>
    tally(count, message)

export const WORDS: Record<Check, Words> = {
  silent_processor: {
    name: m.checks_silent_processor,
    help: m.checks_silent_processor_help,
    text: ({ facts }) => t(m.overview_silent_stripe, { days: Number(facts.days) }),
    href: () => '/stripe',
    route: 'GET /stripe',
  },
  unreadable_events: {
    name: m.checks_unreadable_events,
    help: m.checks_unreadable_events_help,
    text: withCount(m.overview_unreadable),
    href: () => '/stripe?unreadable=true#received',
    route: 'GET /stripe',
  },
  missing_sales: {
    name: m.checks_missing_sales,
    help: m.checks_missing_sales_help,
    text: withCount(m.overview_overdue),
    href: () => '/events?overdue=true',
  },
  other_unit: {
    name: m.checks_other_unit,
    help: m.checks_other_unit_help,
    text: ({ facts }) =>
      t(m.overview_other_unit, {
        program: String(facts.program),
        before: money(Number(facts.beforeCents), String(facts.currency)),
        latest: money(Number(facts.latestCents), String(facts.currency)),
      }),
    href: () => `${GUIDE}#cents`,
  },
  shared_customer: {
    name: m.checks_shared_customer,
    help: m.checks_shared_customer_help,
    text: ({ facts }) =>
      t(m.overview_busiest_customer, {
        customerExternalId: String(facts.customerExternalId),
        sales: String(facts.sales),
        ofSales: String(facts.ofSales),
      }),
    href: () => `${GUIDE}#one-customer-for-all-guests`,
  },
  likely_credits: {
    name: m.checks_likely_credits,
    help: m.checks_likely_credits_help,
    text: withCount(m.overview_likely_credits),
    href: () => '/uncredited?show=likely',
  },
  mismatches: {
    name: m.checks_mismatches,
    help: m.checks_mismatches_help,
    text: withCount(m.overview_mismatches),
    href: () => '/mismatches',
  },
  possible_duplicates: {
    name: m.checks_possible_duplicates,
    help: m.checks_possible_duplicates_help,
    text: withCount(m.checks_possible_duplicates_found),
    href: () => '/commissions/held',
  },
  possible_merges: {
    name: m.checks_possible_merges,
    help: m.checks_possible_merges_help,
    text: withCount(m.overview_possible_merges),
    href: () => '/possible-merges',
  },
  doubtful_credits: {
    name: m.checks_doubtful_credits,
    help: m.checks_doubtful_credits_help,
    text: withCount(m.checks_doubtful_credits_found),
    href: () => '/checks#doubtful',
  },
  refused_visits: {
    name: m.checks_refused_visits,
    help: m.checks_refused_visits_help,
    text: ({ count, facts }) =>
      t(m.checks_refused_visits_found, {
        count,
        shown: upToMost(count),
        program: String(facts.program),
      }),
    href: ({ facts }) => `/programs/${facts.programId}/test`,
  },
}

/** @param base the workspace's path */
export const hrefIn = (base: string, href: string): string =>
  href.startsWith('/docs') ? href : `${base}${href}`
