/** A partner's page: link, earnings, coupons, ledger and, for managers, settings. */
import type { Delivery } from '../../lib/mail/mails.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import type { BuiltLink } from '../../lib/pages/link-builder.tsx'
import { mailStatusLabel } from '../../lib/pages/mail-labels.ts'
import { Done, Problem, Time } from '../../lib/pages/parts.tsx'
import { PeriodLinks } from '../../lib/pages/period-links.tsx'
import type { Shown } from '../../lib/pages/text.ts'
import { paidByWords } from '../../lib/payouts/payment-details.ts'
import type { PayoutAccountStatus } from '../../lib/payouts/payouts.ts'
import type { Period } from '../../lib/periods.ts'
import { type PartnerPageData, ROWS_SHOWN } from '../../lib/workspace/partner-page.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { AdjustmentForm } from './adjustment-form.tsx'
import { EntryTable } from './audit-table.tsx'
import { Figures } from './figures.tsx'
import { NotesSection } from './note-list.tsx'
import { CouponAliases, PartnerForms, type Refused } from './partner-forms.tsx'
import { Earned, Ledger, Newest } from './partner-ledger.tsx'
import { PartnerLinks } from './partner-links.tsx'

type Props = PartnerPageData & {
  workspace: Workspace
  period: Period
  /** Why the days that were chosen for the period were refused. */
  problem?: string | undefined
  now: Date
  done?: Shown | undefined
  refused?: Refused | undefined
  built?: BuiltLink | undefined
}

const UNDELIVERED: Partial<Record<Delivery, string>> = {
  bounced:
    'The last email to this address bounced, so sign-in links may not arrive either. Ask the partner for another address, and correct it under Settings.',
  suppressed:
    'The mail provider sends nothing to this address, because an earlier email bounced or was reported as spam. Ask the partner for another address, or the operator of this installation to lift the suppression.',
  complained:
    'The partner reported the last email as spam, and gets no more messages. Sign-in links may not arrive either.',
}

/** Why mails don't arrive, if the provider has reported it. */
const Undelivered = ({ lastDelivery }: Pick<Props, 'lastDelivery'>) => {
  const { delivery, reason } = lastDelivery ?? {}
  const words = delivery && UNDELIVERED[delivery]
  if (!words) return null
  return (
    <p>
      <Status status={delivery} label={mailStatusLabel(delivery)} /> {words}
      {reason && ` The provider says: ${reason}`}
    </p>
  )
}

/** What is left of a partner whose import was undone: what others refer to. */
const UndonePartner = (props: Props & { base: string }) => (
  <>
    <h1>Undone partner</h1>
    <p>
      The import that created this partner was undone. <a href={`${props.base}/imports`}>View imports</a>
    </p>
    <Ledger {...props} />
  </>
)

export const PartnerPage = (props: Props) => {
  const { workspace, partner, groups, links, earned, done, refused } = props
  const base = `/app/${workspace.slug}`
  const path = `${base}/partners/${partner.id}`
  const isManager = workspace.role === 'manager'
  if (partner.undoneAt) return <UndonePartner {...props} base={base} />
  return (
    <>
      <h1>{partner.name ?? partner.email}</h1>
      <Done message={done} />
      <Problem message={refused?.message} errors={refused?.errors} />
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Status status={partner.status} />
          {partner.isTest && ' The program’s test partner: it is never paid.'}
        </dd>
        <dt>Email address</dt>
        <dd>
          {partner.email}
          <Undelivered lastDelivery={props.lastDelivery} />
        </dd>
        <dt>Program</dt>
        <dd>
          <a href={`${base}/programs/${partner.programId}`}>{partner.programName}</a>
        </dd>
        <dt>Group</dt>
        <dd>{partner.groupName ?? 'None'}</dd>
        <dt>Partner since</dt>
        <dd>
          <Time at={partner.createdAt} />
        </dd>
        {props.choice && (
          <>
            <dt>Payment details</dt>
            <dd>{paidByWords(props.choice)}</dd>
          </>
        )}
        <dt>Stripe account</dt>
        <dd>
          <Account account={props.account} now={props.now} />
        </dd>
      </dl>
      <PartnerLinks
        path={path}
        partner={partner}
        links={links}
        isManager={isManager}
        refused={refused?.form === 'link' ? refused : undefined}
        built={props.built}
        subs={props.subs}
      />
      <Activity {...props} path={path} />
      <Earned earned={earned} />
      <p>
        <a href={`${path}/statement`}>Monthly statements</a>
      </p>
      {isManager && (
        <p>
          <a href={`${base}/mails?partnerId=${partner.id}`}>Emails</a> ·{' '}
          <a href={`${path}/personal-data`}>Personal data</a>
        </p>
      )}
      <NotesSection path={path} notes={props.notes.slice(0, ROWS_SHOWN)} isManager={isManager}>
        {props.notes.length > ROWS_SHOWN && (
          <p>
            <a href={`${path}/notes`}>View all notes</a>
          </p>
        )}
      </NotesSection>
      <CouponAliases
        path={path}
        partnersPath={`${base}/partners`}
        coupons={partner.coupons}
        isManager={isManager}
        refused={refused?.form === 'coupon' ? refused : undefined}
      />
      <Ledger {...props} base={base} />
      {isManager && (
        <section>
          <h2>Adjustment</h2>
          <p>
            Adds to what the partner has earned, or deducts from it. It is payable at once. To correct one
            commission, open it from the list.
          </p>
          <AdjustmentForm
            action={`${path}/adjust`}
            currency={earned[0]?.currency ?? 'USD'}
            refused={refused?.form === 'adjustment' ? refused : undefined}
          />
        </section>
      )}
      {isManager && <Changes {...props} base={base} />}
      {isManager && <PartnerForms path={path} partner={partner} groups={groups} refused={refused} />}
    </>
  )
}

/** What the partner brought in a period, beside the one before. */
const Activity = ({ partner, activity, period, problem, path }: Props & { path: string }) => {
  const name = partner.name ?? partner.slug
  return (
    <section>
      <div class="page-head">
        <h2>Activity</h2>
        <PeriodLinks
          period={period}
          what="the activity"
          hrefOf={(days) => `${path}?days=${days}`}
          action={path}
        />
      </div>
      <Problem message={problem} />
      <Figures what={name} activity={activity} period={period} />
    </section>
  )
}

/** What managers changed of the partner. */
const Changes = ({ partner, changes, base }: Props & { base: string }) => (
  <Newest
    heading="Changes"
    rows={changes}
    all={`${base}/audit?subjectId=${partner.id}`}
    none="No manager has changed anything of this partner."
  >
    <EntryTable base={base} ofOne entries={changes.slice(0, ROWS_SHOWN)} />
  </Newest>
)

/** Whether Stripe can pay the partner. */
const ACCOUNT_WORDS: Record<PayoutAccountStatus, string> = {
  onboarding: 'Onboarding not finished: the partner continues it in the portal',
  in_review: 'In review by Stripe',
  enabled: 'Connected',
  restricted: 'Restricted: Stripe needs more information, which the partner gives from the portal',
  closed: 'Closed: the partner connects another one in the portal',
}

/** The partner's account as it was read from Stripe last. */
const Account = ({ account, now }: Pick<PartnerPageData, 'account'> & { now: Date }) =>
  account ? (
    <>
      {ACCOUNT_WORDS[account.status]}
      {account.status === 'enabled' &&
        account.paysBank === false &&
        ', but Stripe cannot pay out to its bank'}
      {account.stripeAccountId && (
        <>
          {' ('}
          <code>{account.stripeAccountId}</code>
          {account.checkedAt && (
            <>
              , read at <Time at={account.checkedAt} />
            </>
          )}
          )
        </>
      )}
      {account.effectiveAt && account.effectiveAt > now && (
        <>
          . It replaced another account: payouts to it start at <Time at={account.effectiveAt} />, or once the
          partner confirms it by email
        </>
      )}
    </>
  ) : (
    <>Not connected</>
  )
