import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { Delivery } from '../../../lib/mail/mails.ts'
import { type PartnerPageData, ROWS_SHOWN } from '../../../lib/overview/partner-page.queries.ts'
import type { BuiltLink } from '../../../lib/pages/forms/link-builder.tsx'
import { describeReward } from '../../../lib/pages/forms/reward-words.ts'
import { Done, Fact, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import { mailStatusLabel } from '../../../lib/pages/parts/mail-labels.ts'
import { code, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { PeriodLinks } from '../../../lib/pages/tables/period-links.tsx'
import { paidByWords } from '../../../lib/payouts/details/payment-details.ts'
import type { PayoutAccountStatus } from '../../../lib/payouts/payouts.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { Period } from '../../../lib/values/periods.ts'
import { AdjustmentForm } from '../commissions/adjustment-form.tsx'
import { Figures } from '../overview/figures.tsx'
import { RulesLink } from '../rewards/rules-link.tsx'
import { EntryTable } from '../settings/audit-table.tsx'
import { NotesSection } from './note-list.tsx'
import { CouponAliases, PartnerForms, type Refused } from './partner-forms.tsx'
import { Earned, Ledger, Newest } from './partner-ledger.tsx'
import { PartnerLinks } from './partner-links.tsx'

type Props = PartnerPageData & {
  workspace: Workspace
  period: Period
  /** Why the chosen days of the period were refused. */
  problem?: string | undefined
  now: Date
  done?: Shown | undefined
  refused?: Refused | undefined
  built?: BuiltLink | undefined
}

const UNDELIVERED: Partial<Record<Delivery, Message>> = {
  bounced: m.partners_last_email_address,
  suppressed: m.partners_mail_provider_sends,
  complained: m.partners_reported_last_email,
}

/** Why mails are not delivered, if the provider has reported it. */
const Undelivered = ({ lastDelivery }: Pick<Props, 'lastDelivery'>) => {
  const { delivery, reason } = lastDelivery ?? {}
  const words = delivery && UNDELIVERED[delivery]
  if (!words) return null
  return (
    <p>
      <Status status={delivery} label={mailStatusLabel(delivery)} /> {t(words)}{' '}
      {reason && t(m.partners_provider_says, { reason })}
    </p>
  )
}

/** A partner whose import was undone, but whom other rows refer to. */
const UndonePartner = (props: Props & { base: string }) => (
  <>
    <h1>{t(m.partners_undone_partner)}</h1>
    <p>
      {t(m.partners_import_created_partner, {
        link: linkTo(mayOpen(props.workspace, 'GET /imports') ? `${props.base}/imports` : null),
      })}
    </p>
    <Ledger {...props} />
  </>
)

export const PartnerPage = (props: Props) => {
  const { workspace, partner, groups, links, earned, done, refused } = props
  const base = `/app/${workspace.slug}`
  const path = `${base}/partners/${partner.id}`
  const mayChange = mayOpen(workspace, 'POST /partners/:id')
  if (partner.undoneAt) return <UndonePartner {...props} base={base} />
  return (
    <>
      <h1>{partner.name ?? partner.email}</h1>
      <Done message={done} />
      <Problem message={refused?.message} errors={refused?.errors} />
      <dl class="facts">
        <Fact name={m.status}>
          <Status status={partner.status} /> {partner.isTest && t(m.partners_never_paid)}
        </Fact>
        <Fact name={m.email_address}>
          {partner.email}
          <Undelivered lastDelivery={props.lastDelivery} />
        </Fact>
        <Fact name={m.program}>
          <a href={`${base}/programs/${partner.programId}`}>{partner.programName}</a>
        </Fact>
        <Fact name={m.layout_group}>{partner.groupName ?? t(m.layout_none)}</Fact>
        <Fact name={partner.reward ? m.partners_own_reward : m.layout_sale_reward}>
          {partner.reward
            ? describeReward(partner.reward)
            : t(partner.groupName ? m.rewards_inherited : m.layout_program_reward)}
          {mayChange && <RulesLink path={path} reward={partner.reward} />}
        </Fact>
        <Fact name={m.partners_since}>
          <Time at={partner.createdAt} />
        </Fact>
        {props.choice && <Fact name={m.payment_details}>{paidByWords(props.choice)}</Fact>}
        <Fact name={m.partners_stripe_account}>
          <Account account={props.account} now={props.now} />
        </Fact>
      </dl>
      <PartnerLinks
        path={path}
        partner={partner}
        links={links}
        mayChange={mayChange}
        refused={refused?.form === 'link' ? refused : undefined}
        built={props.built}
        subs={props.subs}
      />
      <Activity {...props} path={path} />
      <Earned earned={earned} />
      <LinkLine href={`${path}/statement`}>{t(m.monthly_statements)}</LinkLine>
      {mayChange && (
        <p>
          <a href={`${base}/mails?partnerId=${partner.id}`}>{t(m.layout_mails)}</a> ·{' '}
          <a href={`${path}/personal-data`}>{t(m.layout_personal_data)}</a>
        </p>
      )}
      <NotesSection
        path={path}
        notes={props.notes.slice(0, ROWS_SHOWN)}
        mayWrite={mayOpen(workspace, 'POST /partners/:id/notes')}
      >
        {props.notes.length > ROWS_SHOWN && (
          <LinkLine href={`${path}/notes`}>{t(m.partners_view_all_notes)}</LinkLine>
        )}
      </NotesSection>
      <CouponAliases
        path={path}
        partnersPath={`${base}/partners`}
        coupons={partner.coupons}
        mayChange={mayChange}
        refused={refused?.form === 'coupon' ? refused : undefined}
      />
      <Ledger {...props} base={base} />
      {mayChange && (
        <section>
          <h2>{t(m.kind_adjustment)}</h2>
          <p>{t(m.partners_adds_partner_earned)}</p>
          <AdjustmentForm
            action={`${path}/adjust`}
            currency={earned[0]?.currency ?? 'USD'}
            refused={refused?.form === 'adjustment' ? refused : undefined}
          />
        </section>
      )}
      {mayChange && <Changes {...props} base={base} />}
      {mayChange && (
        <PartnerForms path={path} partner={partner} groups={groups} refused={refused} />
      )}
    </>
  )
}

/** The partner's figures of a period, compared with the one before. */
const Activity = ({ partner, activity, period, problem, path }: Props & { path: string }) => {
  const name = partner.name ?? partner.slug
  return (
    <section>
      <div class="page-head">
        <h2>{t(m.activity)}</h2>
        <PeriodLinks
          period={period}
          what={t(m.partners_the_activity)}
          hrefOf={(days) => `${path}?days=${days}`}
          action={path}
        />
      </div>
      <Problem message={problem} />
      <Figures what={name} activity={activity} period={period} />
    </section>
  )
}

/** The audit entries about the partner. */
const Changes = ({ partner, changes, base }: Props & { base: string }) => (
  <Newest
    heading={t(m.partners_changes)}
    rows={changes}
    all={`${base}/audit?subjectId=${partner.id}`}
    none={t(m.partners_no_manager_changed)}
  >
    <EntryTable base={base} ofOne entries={changes.slice(0, ROWS_SHOWN)} />
  </Newest>
)

const ACCOUNT_WORDS: Record<PayoutAccountStatus, Message> = {
  onboarding: m.partners_onboarding_not_finished,
  in_review: m.partners_review_stripe,
  enabled: m.partners_connected,
  restricted: m.partners_restricted_stripe_needs,
  closed: m.partners_closed_partner_connects,
}

/** The account as last read from Stripe. */
const AccountFacts = ({ account }: { account: NonNullable<PartnerPageData['account']> }) => {
  const { status, paysBank, stripeAccountId, checkedAt } = account
  const words = t(
    status === 'enabled' && paysBank === false ? m.partners_bank_refuses : ACCOUNT_WORDS[status],
  )
  if (!stripeAccountId) return <>{words}</>
  return (
    <>
      {checkedAt
        ? t(m.partners_account_read, {
            words,
            stripeAccountId,
            code,
            day: () => <Time at={checkedAt} />,
          })
        : t(m.partners_account_unread, { words, stripeAccountId, code })}
    </>
  )
}

/** The account and, if it replaced another, when payouts to it start. */
const Account = ({ account, now }: Pick<PartnerPageData, 'account'> & { now: Date }) => {
  if (!account) return <>{t(m.partners_not_connected)}</>
  const { effectiveAt } = account
  if (!effectiveAt || effectiveAt <= now) return <AccountFacts account={account} />
  return (
    <>
      {t(m.partners_account_replaced, {
        account: () => <AccountFacts account={account} />,
        day: () => <Time at={effectiveAt} />,
      })}
    </>
  )
}
