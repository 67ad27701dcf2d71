import { LOCALES } from '../../lib/languages/languages.ts'
import * as m from '../../lib/languages/messages.ts'
import { methodWords, paidBy } from '../../lib/pages/forms/payment-method.ts'
import { describeReward } from '../../lib/pages/forms/reward-words.ts'
import { accentClass, Logo, merchantAt, Support } from '../../lib/pages/layout/brand.tsx'
import { ConnectCard } from '../../lib/pages/layout/connect.tsx'
import { Copyable, LinkLine } from '../../lib/pages/layout/parts.tsx'
import { NotActive } from '../../lib/pages/layout/portal.tsx'
import { t } from '../../lib/pages/layout/text.ts'
import { figure, money, pageLanguage } from '../../lib/pages/parts/money.tsx'
import { moneySums } from '../../lib/pages/parts/payouts.tsx'
import { hidden, name } from '../../lib/pages/parts/tags.tsx'
import { Charts, type Series } from '../../lib/pages/tables/chart.tsx'
import { PeriodLinks } from '../../lib/pages/tables/period-links.tsx'
import type { PaymentChoice } from '../../lib/payouts/details/payment-details.queries.ts'
import { offeredMethods } from '../../lib/payouts/details/payment-details.ts'
import type { Partnership, PortalData } from '../../lib/portal/portal.queries.ts'
import { fillSlots, type Period } from '../../lib/values/periods.ts'
import { partnerLink } from '../../lib/values/slugs.ts'
import { Bonuses, Tier } from './milestones.tsx'
import { Balances } from './payments/balances.tsx'

const Coupons = ({ codes }: { codes: string[] | null }) =>
  codes && (
    <>
      <h3>{t(m.coupon_codes)}</h3>
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
const seriesOf = (
  partnerId: string,
  { activity, balances }: PortalData,
  { slots }: Period,
): Series[] => {
  const own = activity.filter((point) => point.partnerId === partnerId)
  const valuesOf = (points: typeof own, key: 'clicks' | 'leads' | 'sales' | 'earnedCents') =>
    fillSlots(
      slots,
      points.map((point) => ({ slot: point.slot, value: point[key] })),
    )
  // Without earnings in this period, show zero in the currencies earned before.
  const earnedNow = own.flatMap(({ currency, earnedCents }) =>
    earnedCents === 0n ? [] : (currency ?? []),
  )
  const earnedEver = balances.flatMap((one) => (one.partnerId === partnerId ? one.currency : []))
  const currencies = [...new Set(earnedNow.length > 0 ? earnedNow : earnedEver)].sort()
  const counts = [
    { label: t(m.clicks), values: valuesOf(own, 'clicks'), format: figure },
    { label: t(m.leads), values: valuesOf(own, 'leads'), format: figure },
    { label: t(m.sales), values: valuesOf(own, 'sales'), format: figure },
  ]
  const earned = currencies.map((currency) => ({
    label: currencies.length > 1 ? t(m.earned_in, { currency }) : t(m.earned),
    values: valuesOf(
      own.filter((point) => point.currency === currency),
      'earnedCents',
    ),
    format: (value: bigint) => money(value, currency),
  }))
  return [...counts, ...earned]
}

type PaymentMethodProps = { workspaceId: string; data: PortalData; now: Date }

/** How a workspace pays a partner, in all of its programs. */
const PaymentMethod = ({ workspaceId, data, now }: PaymentMethodProps) => {
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

/** Whether a partner can choose a method other than Stripe. */
const isOfferingMore = (choice: PaymentChoice): boolean =>
  offeredMethods(choice).some((method) => method !== 'stripe')

/** "PayPal or Wise", in the page's language. */
const eitherOf = (words: string[]): string =>
  new Intl.ListFormat(LOCALES[pageLanguage()], { type: 'disjunction' }).format(words)

/** The payment method that a partner has chosen. */
const ChoiceCard = ({ choice }: { choice: PaymentChoice }) => (
  <section class="card">
    <h3>{t(m.payment_details)}</h3>
    <p>
      {choice.current
        ? t(m.paid_by, { workspace: choice.workspaceName, name, method: paidBy(choice.current) })
        : t(m.can_pay_by, {
            workspace: choice.workspaceName,
            name,
            methods: eitherOf(offeredMethods(choice).map(methodWords)),
          })}{' '}
      {choice.pending && t(m.change_within_72_hours)}
    </p>
    <LinkLine href={`/portal/payment?workspace=${choice.workspaceId}`}>
      {t(choice.current || choice.pending ? m.change_payment_details : m.choose_payment)}
    </LinkLine>
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
const StripeOrBank = ({
  workspaceId,
  first,
  account,
  partnerships,
  data,
  now,
}: StripeOrBankProps) => {
  const contacts = [...new Set(partnerships.map(({ contact }) => contact))]
  if (!account && !first.paysByStripe) {
    const of = { workspace: first.workspace, name }
    return (
      <p class="hint">
        {first.paysByBank
          ? t(m.pays_by_bank, of)
          : t(m.pays_not_yet, { ...of, merchant: merchantAt(...contacts) })}
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

/** The payable sums of a workspace, by currency. */
const payableSums = (partnerships: Partnership[], { balances }: PortalData): string | undefined => {
  const paying = partnerships.filter(({ status }) => status !== 'banned').map(({ id }) => id)
  const owed = balances
    // Programs pay separately: a negative balance in one is not deducted from another.
    .filter(({ partnerId, payableCents }) => payableCents > 0n && paying.includes(partnerId))
    .map(({ currency, payableCents }) => ({ currency, amountCents: payableCents }))
  return moneySums(owed) || undefined
}

/**
 * The amounts due to a partner in all programs of a workspace, by currency. Negative balances are
 * not deducted.
 */
const dueIn = (
  { workspaceId }: Partnership,
  { partnerships, balances }: PortalData,
): Map<string, bigint> => {
  const paying = partnerships.filter(
    (one) => one.workspaceId === workspaceId && one.status !== 'banned',
  )
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

/** For example, links with a former slug. */
const FurtherLinks = ({ links }: { links: string[] }) =>
  links.length > 0 ? (
    <details>
      <summary>{t(m.more_links, { count: links.length })}</summary>
      <ul>
        {links.map((link) => (
          <li>
            <code>{link}</code>
          </li>
        ))}
      </ul>
    </details>
  ) : null

/** The link and coupons that a partner shares, and what they earn. */
const ActiveLinks = ({
  programId,
  program,
  slug,
  furtherSlugs,
  siteUrl,
  coupons,
  mode,
  reward,
  leadReward,
}: Partnership) => (
  <>
    {mode === 'live' && (
      <>
        <h3>{t(m.your_reward)}</h3>
        <p>{describeReward(reward)}</p>
        {leadReward && <p>{describeReward(leadReward, 'lead')}</p>}
      </>
    )}
    <h3>{t(m.your_link)}</h3>
    <Copyable label={t(m.copy_own_link, { program, hidden })} text={partnerLink(siteUrl, slug)} />
    <LinkLine href={`/portal/links?program=${programId}`}>
      {t(m.link_to_any_page, { program, hidden })}
    </LinkLine>
    <FurtherLinks links={(furtherSlugs ?? []).map((further) => partnerLink(siteUrl, further))} />
    <Coupons codes={coupons} />
  </>
)

/** The tier and the bonuses, unless another platform pays. */
const Milestones = ({ partnership, data }: { partnership: Partnership; data: PortalData }) => {
  const { id, tiers, bonuses, mode } = partnership
  const tier = data.tiers.get(id)
  if (mode === 'shadow') return null
  return (
    <>
      {tier && tiers && <Tier {...{ tier, tiers }} />}
      <Bonuses bonuses={bonuses} reached={data.bonuses.filter((one) => one.partnerId === id)} />
    </>
  )
}

/** What another platform paid for the imported customers, if the import has it. */
const BeforeTheMove = ({ priors, workspace }: Partnership) =>
  priors.length > 0 && (
    <>
      <h3>{t(m.before_the_move)}</h3>
      <ul>
        {priors.map(({ currency, customers, commissions, amountCents }) => {
          const count = commissions > 0 ? t(m.prior_commissions, { count: commissions }) : null
          return (
            <li>
              {amountCents > 0 &&
                t(m.prior_amount, { amount: money(amountCents, currency), count: customers })}
              {amountCents > 0 && count ? ` (${count})` : count}
            </li>
          )
        })}
      </ul>
      <p class="hint">{t(m.prior_hint, { workspace, name })}</p>
    </>
  )

/** Instead of balances, while another platform pays. */
const Moving = () => (
  <>
    <h3>{t(m.balance)}</h3>
    <p class="notice">{t(m.program_moving)}</p>
  </>
)

/**
 * Link, coupons, balance and activity of a program. The first program of a workspace shows the
 * payment method.
 */
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
      {status === 'banned' ? (
        <NotActive contact={partnership.contact} />
      ) : (
        <ActiveLinks {...partnership} />
      )}
      {status !== 'banned' && <Milestones {...{ partnership, data }} />}
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
      <BeforeTheMove {...partnership} />
      {isFirstOfWorkspace && (
        <PaymentMethod workspaceId={partnership.workspaceId} data={data} now={now} />
      )}
      <div class="over-time" id={anchor}>
        <h3>{t(m.activity)}</h3>
        <PeriodLinks
          period={period}
          what={program}
          hrefOf={(days) => `/portal?days=${days}#${anchor}`}
        />
      </div>
      <Charts what={program} series={seriesOf(id, data, period)} time={period} />
      <Support supportEmail={partnership.supportEmail} />
    </section>
  )
}
