/** How a partner connects a Stripe account, and the account's status. */

import type { Child } from 'hono/jsx'
import { LOCALES } from '../../languages/languages.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { PAYOUT_COUNTRIES } from '../../payouts/accounts/countries.ts'
import type { PayoutAccountStatus } from '../../payouts/payouts.ts'
import { ConfirmForm } from '../forms/buttons.tsx'
import { pageLanguage } from '../parts/money.tsx'
import { hidden, name, strong } from '../parts/tags.tsx'
import { Status } from '../tables/ledger.tsx'
import { merchantAt } from './brand.tsx'
import { ButtonLine, Time } from './parts.tsx'
import { t } from './text.ts'

/** The portal's notices about a payout account, by `?connect=`. */
export const CONNECT_NOTICES: Record<
  PayoutAccountStatus | 'held' | 'confirmed' | 'disconnected' | 'unknown',
  Message
> = {
  enabled: m.connect_enabled,
  held: m.connect_held,
  confirmed: m.connect_confirmed,
  in_review: m.connect_in_review,
  onboarding: m.connect_onboarding,
  restricted: m.connect_restricted,
  closed: m.connect_closed,
  disconnected: m.connect_disconnected,
  unknown: m.connect_unknown,
}

type Country = { code: string; name: string }

const countryName = (code: string): string =>
  new Intl.DisplayNames(LOCALES[pageLanguage()], { type: 'region' }).of(code) ?? code

/** All countries by their names in the page's language. */
const countriesByName = (): Country[] => {
  const locale = LOCALES[pageLanguage()]
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  return PAYOUT_COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
    a.name.localeCompare(b.name, locale),
  )
}

type Props = {
  workspace: { id: string; name: string }
  account:
    | { status: PayoutAccountStatus; paysBank: boolean | null; effectiveAt: Date | null }
    | undefined
  now: Date
  /** The countries to which the workspace's Stripe account may transfer; null if unknown. */
  countries: string[] | null
  /** The chosen country, if transfers to it are impossible. */
  unreachable?: string | undefined
  /** The support addresses of the workspace's programs. */
  support: (string | null)[]
  /** The payable amounts, formatted. */
  owed?: string | undefined
}

/** The values of messages that begin with the payable sums, if any. */
const owedValues = (owed: string | undefined) => ({ owed: owed ?? 'none', strong })

const Countries = ({ countries }: { countries: Country[] }) =>
  countries.map(({ code, name }) => <option value={code}>{name}</option>)

const ConnectForm = ({ workspace, countries, unreachable, support }: Props) => {
  const isOffered = ({ code }: { code: string }) => !countries || countries.includes(code)
  const all = countriesByName()
  const others = all.filter((country) => !isOffered(country))
  return (
    <>
      {unreachable && (
        <p class="problem">
          {t(m.cannot_send_money, {
            workspace: workspace.name,
            country: countryName(unreachable),
            name,
            merchant: merchantAt(...support),
          })}
        </p>
      )}
      <form method="post" action="/portal/connect" class="inline">
        <input type="hidden" name="workspace" value={workspace.id} />
        <div class="field">
          <label for={`country-${workspace.id}`}>{t(m.country)}</label>
          <select id={`country-${workspace.id}`} name="country" required>
            <option value="">{t(m.choose_country)}</option>
            {others.length === 0 ? (
              <Countries countries={all} />
            ) : (
              <>
                <optgroup label={t(m.countries_paid)}>
                  <Countries countries={all.filter(isOffered)} />
                </optgroup>
                <optgroup label={t(m.countries_not_paid)}>
                  <Countries countries={others} />
                </optgroup>
              </>
            )}
          </select>
        </div>
        <button type="submit">{t(m.connect_with_stripe)}</button>
      </form>
    </>
  )
}

type Step = { label: Message; href: string }

const Actions = ({ workspace, next }: Pick<Props, 'workspace'> & { next?: Step | undefined }) => (
  <p class="actions">
    {next && (
      <a class="button" href={next.href}>
        {t(next.label)}
      </a>
    )}
    <a href={`/portal/disconnect?workspace=${workspace.id}`}>
      {t(m.disconnect_for, { workspace: workspace.name, hidden })}
    </a>
  </p>
)

const onboardingStep = (workspace: Props['workspace'], label: Message): Step => ({
  label,
  href: `/portal/connect/refresh?workspace=${workspace.id}`,
})

/** The content of the card by account status. */
const BODIES: Record<PayoutAccountStatus | 'none', (props: Props) => Child> = {
  none: (props) => (
    <>
      <p>
        {t(m.owed_pays_with_stripe, {
          ...owedValues(props.owed),
          workspace: props.workspace.name,
          name,
        })}
      </p>
      <ConnectForm {...props} />
    </>
  ),
  onboarding: ({ workspace, owed }) => (
    <>
      <p>{t(m.owed_needs_information, owedValues(owed))}</p>
      <Actions workspace={workspace} next={onboardingStep(workspace, m.continue_setup)} />
    </>
  ),
  in_review: ({ workspace, owed }) => (
    <>
      <p>{t(m.owed_in_review, owedValues(owed))}</p>
      <Actions workspace={workspace} />
    </>
  ),
  restricted: ({ workspace, owed }) => (
    <>
      <p>{t(m.owed_needs_information, owedValues(owed))}</p>
      <Actions workspace={workspace} next={onboardingStep(workspace, m.update_information)} />
    </>
  ),
  enabled: ({ workspace, account }) => (
    <>
      <p>
        <Status status="approved" label={t(m.connected)} />{' '}
        {t(m.connected_text, { workspace: workspace.name, name })}
      </p>
      {account?.paysBank === false && <p class="problem">{t(m.cannot_pay_bank)}</p>}
      <Actions
        workspace={workspace}
        next={{
          label: m.open_stripe_dashboard,
          href: `/portal/connect/dashboard?workspace=${workspace.id}`,
        }}
      />
    </>
  ),
  closed: (props) => (
    <>
      <p>{t(m.owed_closed, owedValues(props.owed))}</p>
      <ConnectForm {...props} />
    </>
  ),
}

const isComplete = (status: PayoutAccountStatus | undefined): boolean =>
  status === 'enabled' || status === 'in_review'

/** Why an account that replaced another is not paid yet. */
const Held = ({ account, now, support }: Props) => {
  const effectiveAt = account?.effectiveAt
  if (!effectiveAt || effectiveAt <= now) return null
  return (
    <p class="problem">
      {t(m.account_held, {
        time: () => <Time at={effectiveAt} />,
        merchant: merchantAt(...support),
      })}
    </p>
  )
}

/** Asks a partner to connect an account, and then shows its status. */
export const ConnectCard = (props: Props) => {
  const status = props.account?.status
  const Body = BODIES[status ?? 'none']
  return (
    <section class="card">
      <h3>{t(isComplete(status) ? m.payout_account : m.connect_account)}</h3>
      <Held {...props} />
      <Body {...props} />
    </section>
  )
}

/**
 * Sends a partner to Stripe. A page of its own, because our policy blocks forms that redirect to
 * another site.
 */
export const ContinuePage = ({ url }: { url: string }) => (
  <>
    <h1>{t(m.continue_to_stripe)}</h1>
    <p>{t(m.continue_to_stripe_text)}</p>
    <ButtonLine href={url}>{t(m.continue_to_stripe)}</ButtonLine>
  </>
)

type ConfirmAccountPageProps = { workspaceId: string; token: string; support: string[] }

/** Confirms that the partner owns an account that replaced another. */
export const ConfirmAccountPage = ({ workspaceId, token, support }: ConfirmAccountPageProps) => (
  <>
    <h1>{t(m.confirm_account_question)}</h1>
    <p>{t(m.confirm_account_text, { merchant: merchantAt(...support) })}</p>
    <ConfirmForm action="/portal/connect/confirm" button={t(m.confirm_account)} cancel="/portal">
      <input type="hidden" name="workspace" value={workspaceId} />
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
  </>
)

export const DisconnectPage = ({ workspaceId }: { workspaceId: string }) => (
  <>
    <h1>{t(m.disconnect_question)}</h1>
    <p>{t(m.disconnect_text)}</p>
    <ConfirmForm action="/portal/disconnect" button={t(m.disconnect_account)} cancel="/portal">
      <input type="hidden" name="workspace" value={workspaceId} />
    </ConfirmForm>
  </>
)
