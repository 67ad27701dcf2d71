/** One program on the portal's overview. */

import { accentClass, Logo, Merchant, Support } from '../../lib/pages/brand.tsx'
import { Charts, type Series } from '../../lib/pages/chart.tsx'
import { ConnectCard } from '../../lib/pages/connect.tsx'
import { figure, money } from '../../lib/pages/money.tsx'
import { Copyable } from '../../lib/pages/parts.tsx'
import { moneySums } from '../../lib/pages/payouts.tsx'
import { PeriodLinks } from '../../lib/pages/period-links.tsx'
import { NotActive } from '../../lib/pages/portal.tsx'
import type { PaymentChoice } from '../../lib/payouts/payment-details.queries.ts'
import { METHOD_WORDS, offeredMethods, paidByWords } from '../../lib/payouts/payment-details.ts'
import { fillSlots, type Period } from '../../lib/periods.ts'
import { counted } from '../../lib/plural.ts'
import type { Partnership, PortalData } from '../../lib/portal/portal.queries.ts'
import { partnerLink } from '../../lib/slugs.ts'
import { Balances } from './balances.tsx'

const Coupons = ({ codes }: { codes: string[] | null }) =>
  codes && (
    <>
      <h3>Your coupon codes</h3>
      <ul class="codes">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </>
  )

/** The series of one program: counts, then earnings by currency. */
const seriesOf = (partnerId: string, { activity, balances }: PortalData, { slots }: Period): Series[] => {
  const own = activity.filter((point) => point.partnerId === partnerId)
  const valuesOf = (points: typeof own, key: 'clicks' | 'leads' | 'sales' | 'earnedCents') =>
    fillSlots(
      slots,
      points.map((point) => ({ slot: point.slot, value: point[key] })),
    )
  // Without earnings in this period, show zero in the currencies earned before.
  const earnedNow = own.flatMap(({ currency, earnedCents }) => (earnedCents === 0n ? [] : (currency ?? [])))
  const earnedEver = balances.flatMap((one) => (one.partnerId === partnerId ? one.currency : []))
  const currencies = [...new Set(earnedNow.length > 0 ? earnedNow : earnedEver)].sort()
  const counts = [
    { label: 'Clicks', values: valuesOf(own, 'clicks'), format: figure },
    { label: 'Leads', values: valuesOf(own, 'leads'), format: figure },
    { label: 'Sales', values: valuesOf(own, 'sales'), format: figure },
  ]
  const earned = currencies.map((currency) => ({
    label: currencies.length > 1 ? `Earned in ${currency}` : 'Earned',
    values: valuesOf(
      own.filter((point) => point.currency === currency),
      'earnedCents',
    ),
    format: (value: bigint) => money(value, currency),
  }))
  return [...counts, ...earned]
}

/** How a workspace pays a partner. It is the same for all of its programs. */
const PaymentMethod = ({ workspaceId, data, now }: { workspaceId: string; data: PortalData; now: Date }) => {
  const partnerships = data.partnerships.filter((one) => one.workspaceId === workspaceId)
  const account = data.accounts.find((one) => one.workspaceId === workspaceId)
  const [first] = partnerships
  if (!first || (!account && partnerships.every(({ status }) => status === 'banned'))) return null
  const choice = data.choices.find((one) => one.workspaceId === workspaceId)
  const hasChoice = choice && (choice.current ?? choice.pending ?? isOfferingMore(choice))
  const byOther = choice?.current && choice.current.method !== 'stripe'
  return (
    <>
      {!byOther && <StripeOrBank {...{ workspaceId, first, account, partnerships, data, now }} />}
      {hasChoice && <ChoiceCard choice={choice} />}
    </>
  )
}

/** Whether a partner can choose something else than Stripe. */
const isOfferingMore = (choice: PaymentChoice): boolean =>
  offeredMethods(choice).some((method) => method !== 'stripe')

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** How a partner chose to be paid. */
const ChoiceCard = ({ choice }: { choice: PaymentChoice }) => (
  <section class="card">
    <h3>Payment details</h3>
    <p>
      {choice.current ? (
        <>
          <bdi>{choice.workspaceName}</bdi> pays you by {paidByWords(choice.current)}.
        </>
      ) : (
        <>
          <bdi>{choice.workspaceName}</bdi> can pay you by{' '}
          {OR.format(offeredMethods(choice).map((method) => METHOD_WORDS[method]))}.
        </>
      )}
      {choice.pending && ' A change takes effect within 72 hours.'}
    </p>
    <p>
      <a href={`/portal/payment?workspace=${choice.workspaceId}`}>
        {choice.current || choice.pending ? 'Change payment details' : 'Choose how you are paid'}
      </a>
    </p>
  </section>
)

type StripeOrBankProps = {
  workspaceId: string
  first: Partnership
  account: PortalData['accounts'][number] | undefined
  partnerships: Partnership[]
  data: PortalData
  now: Date
}

/** The Stripe account, or how the workspace pays without one. */
const StripeOrBank = ({ workspaceId, first, account, partnerships, data, now }: StripeOrBankProps) => {
  const contacts = [...new Set(partnerships.map(({ contact }) => contact))]
  if (!account && !first.paysByStripe) {
    return first.paysByBank ? (
      <p class="hint">
        <bdi>{first.workspace}</bdi> pays by bank transfer, outside Stripe. You do not need to connect an
        account.
      </p>
    ) : (
      <p class="hint">
        <bdi>{first.workspace}</bdi> has not set up payouts yet. Once it has, you connect an account here to
        be paid. Ask <Merchant at={contacts} /> when that will be.
      </p>
    )
  }
  const workspace = { id: workspaceId, name: first.workspace }
  return (
    <ConnectCard
      workspace={workspace}
      account={account}
      now={now}
      owed={payableSums(partnerships, data)}
      support={contacts}
      countries={first.transferCountries}
      unreachable={data.unreachable.find((one) => one.workspaceId === workspaceId)?.country}
    />
  )
}

/** The sums payable by a workspace, by currency. */
const payableSums = (partnerships: Partnership[], { balances }: PortalData): string | undefined => {
  const paying = partnerships.filter(({ status }) => status !== 'banned').map(({ id }) => id)
  const owed = balances
    // Programs pay separately: a negative balance in one is not offset by another.
    .filter(({ partnerId, payableCents }) => payableCents > 0n && paying.includes(partnerId))
    .map(({ currency, payableCents }) => ({ currency, amountCents: payableCents }))
  return moneySums(owed) || undefined
}

/** What is due to a partner in all programs of a workspace, by currency. Negative balances are not deducted. */
const dueIn = ({ workspaceId }: Partnership, { partnerships, balances }: PortalData): Map<string, bigint> => {
  const paying = partnerships.filter((one) => one.workspaceId === workspaceId && one.status !== 'banned')
  const due = new Map<string, bigint>()
  for (const { partnerId, currency, payableCents } of balances) {
    if (payableCents > 0n && paying.some(({ id }) => id === partnerId))
      due.set(currency, (due.get(currency) ?? 0n) + payableCents)
  }
  return due
}

type Props = {
  partnership: Partnership
  data: PortalData
  period: Period
  now: Date
  isFirstOfWorkspace: boolean
}

/** Such as links with a slug that was changed. */
const FurtherLinks = ({ links }: { links: string[] }) =>
  links.length > 0 ? (
    <details>
      <summary>{counted(links.length, 'more link is yours', 'more links are yours')}</summary>
      <ul>
        {links.map((link) => (
          <li>
            <code>{link}</code>
          </li>
        ))}
      </ul>
    </details>
  ) : null

/** What a partner shares. */
const ActiveLinks = ({ programId, program, slug, furtherSlugs, siteUrl, coupons }: Partnership) => (
  <>
    <h3>Your link</h3>
    <Copyable label={`your link for ${program}`} text={partnerLink(siteUrl, slug)} />
    <p>
      <a href={`/portal/links?program=${programId}`}>
        Link to any page, and QR codes<span class="hidden"> for {program}</span>
      </a>
    </p>
    <FurtherLinks links={(furtherSlugs ?? []).map((further) => partnerLink(siteUrl, further))} />
    <Coupons codes={coupons} />
  </>
)

/** Instead of balances, while another platform pays. */
const Moving = () => (
  <>
    <h3>Balance</h3>
    <p class="notice">
      This program is moving here from another platform. Until the move is complete, that platform counts and
      pays what you earn, and nothing is paid from here.
    </p>
  </>
)

/** A program: link, coupons, balance and activity. The first program of a workspace shows the payment method. */
export const Program = ({ partnership, data, period, now, isFirstOfWorkspace }: Props) => {
  const { id, program, workspace, status } = partnership
  const anchor = `numbers-${id}`
  return (
    <section
      class={['program', accentClass(partnership)].filter(Boolean).join(' ')}
      aria-labelledby={`program-${id}`}
    >
      <Logo logoUrl={partnership.logoUrl} name={program} />
      <h2 id={`program-${id}`}>{program}</h2>
      <p class="hint">{workspace}</p>
      {status === 'banned' ? <NotActive contact={partnership.contact} /> : <ActiveLinks {...partnership} />}
      {partnership.mode === 'shadow' ? (
        <Moving />
      ) : (
        <Balances
          partnership={partnership}
          balances={data.balances.filter((balance) => balance.partnerId === id)}
          due={dueIn(partnership, data)}
          now={now}
        />
      )}
      {isFirstOfWorkspace && <PaymentMethod workspaceId={partnership.workspaceId} data={data} now={now} />}
      <div class="over-time" id={anchor}>
        <h3>Activity</h3>
        <PeriodLinks period={period} what={program} hrefOf={(days) => `/portal?days=${days}#${anchor}`} />
      </div>
      <Charts what={program} series={seriesOf(id, data, period)} time={period} />
      <Support supportEmail={partnership.supportEmail} />
    </section>
  )
}
