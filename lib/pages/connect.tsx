/** How a partner connects a Stripe account, and its status. */
import type { Child } from 'hono/jsx'
import { PAYOUT_COUNTRIES } from '../payouts/countries.ts'
import type { PayoutAccountStatus } from '../payouts/payouts.ts'
import { Merchant } from './brand.tsx'
import { ConfirmForm, Time } from './parts.tsx'

/** The portal's notices about a payout account, by `?connect=`. */
export const CONNECT_NOTICES: Record<
  PayoutAccountStatus | 'held' | 'confirmed' | 'disconnected' | 'unknown',
  string
> = {
  enabled: 'Account connected. You can be paid.',
  held: 'Account connected. Payouts to it start in 72 hours, or once you confirm it by the link in our email.',
  confirmed: 'Account confirmed. You can be paid.',
  in_review: 'Stripe is reviewing your information. You can be paid once the review is complete.',
  onboarding: 'Account setup is not finished. Continue it to be paid.',
  restricted: 'Stripe needs more information before you can be paid.',
  closed: 'Your Stripe account is closed. Connect another one to be paid.',
  disconnected: 'Account disconnected. Connect an account to be paid.',
  unknown: 'Stripe did not respond. This page updates once Stripe reports your account’s status.',
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

const COUNTRIES = PAYOUT_COUNTRIES.map((code) => ({ code, name: NAMES.of(code) ?? code })).sort((a, b) =>
  a.name.localeCompare(b.name, 'en'),
)

type Props = {
  workspace: { id: string; name: string }
  account: { status: PayoutAccountStatus; paysBank: boolean | null; effectiveAt: Date | null } | undefined
  now: Date
  /** The countries to which the workspace's Stripe account may transfer; null if not known. */
  countries: string[] | null
  /** The country that the partner has chosen and that is none of them. */
  unreachable?: string | undefined
  /** The support addresses of the workspace's programs. */
  support: (string | null)[]
  /** The payable amounts, formatted. */
  owed?: string | undefined
}

const Owed = ({ owed, children }: { owed: string | undefined; children: Child }) => (
  <p>
    {owed && (
      <>
        <strong>{owed}</strong> {'is payable to you. '}
      </>
    )}
    {children}
  </p>
)

const Countries = ({ countries }: { countries: typeof COUNTRIES }) =>
  countries.map(({ code, name }) => <option value={code}>{name}</option>)

const ConnectForm = ({ workspace, countries, unreachable, support }: Props) => {
  const isOffered = ({ code }: { code: string }) => !countries || countries.includes(code)
  const others = COUNTRIES.filter((country) => !isOffered(country))
  return (
    <>
      {unreachable && (
        <p class="problem">
          <bdi>{workspace.name}</bdi> cannot send money to {NAMES.of(unreachable) ?? unreachable} with Stripe.
          Your earnings are kept. Ask <Merchant at={support} /> how else you can be paid.
        </p>
      )}
      <form method="post" action="/portal/connect" class="inline">
        <input type="hidden" name="workspace" value={workspace.id} />
        <div class="field">
          <label for={`country-${workspace.id}`}>Country</label>
          <select id={`country-${workspace.id}`} name="country" required>
            <option value="">Choose a country</option>
            {others.length === 0 ? (
              <Countries countries={COUNTRIES} />
            ) : (
              <>
                <optgroup label="Can be paid">
                  <Countries countries={COUNTRIES.filter(isOffered)} />
                </optgroup>
                <optgroup label="Cannot be paid with Stripe">
                  <Countries countries={others} />
                </optgroup>
              </>
            )}
          </select>
        </div>
        <button type="submit">Connect with Stripe</button>
      </form>
    </>
  )
}

type Step = { label: string; href: string }

const Actions = ({ workspace, next }: Pick<Props, 'workspace'> & { next?: Step | undefined }) => (
  <p class="actions">
    {next && (
      <a class="button" href={next.href}>
        {next.label}
      </a>
    )}
    <a href={`/portal/disconnect?workspace=${workspace.id}`}>
      Disconnect<span class="hidden"> the account for {workspace.name}</span>
    </a>
  </p>
)

/** The step that leads to Stripe's onboarding pages. */
const onboardingStep = (workspace: Props['workspace'], label: string): Step => ({
  label,
  href: `/portal/connect/refresh?workspace=${workspace.id}`,
})

/** The content of the card by account status. */
const BODIES: Record<PayoutAccountStatus | 'none', (props: Props) => Child> = {
  none: (props) => (
    <>
      <Owed owed={props.owed}>
        <bdi>{props.workspace.name}</bdi> pays with Stripe. Stripe asks for your identity and bank details,
        which we never see.
      </Owed>
      <ConnectForm {...props} />
    </>
  ),
  onboarding: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe needs more information before you can be paid.</Owed>
      <Actions workspace={workspace} next={onboardingStep(workspace, 'Continue setup')} />
    </>
  ),
  in_review: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe is reviewing your information. You do not need to do anything.</Owed>
      <Actions workspace={workspace} />
    </>
  ),
  restricted: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe needs more information before you can be paid.</Owed>
      <Actions workspace={workspace} next={onboardingStep(workspace, 'Update information')} />
    </>
  ),
  enabled: ({ workspace, account }) => (
    <>
      <p>
        <span class="status" data-status="approved">
          connected
        </span>{' '}
        Payouts from <bdi>{workspace.name}</bdi> go to your Stripe account, which pays them out to your bank.
      </p>
      {account?.paysBank === false && (
        <p class="problem">
          Stripe cannot pay out to your bank. Open your Stripe dashboard to correct your bank account.
        </p>
      )}
      <Actions
        workspace={workspace}
        next={{ label: 'Open Stripe dashboard', href: `/portal/connect/dashboard?workspace=${workspace.id}` }}
      />
    </>
  ),
  closed: (props) => (
    <>
      <Owed owed={props.owed}>Your Stripe account is closed. Connect another one to be paid.</Owed>
      <ConnectForm {...props} />
    </>
  ),
}

const isComplete = (status: PayoutAccountStatus | undefined): boolean =>
  status === 'enabled' || status === 'in_review'

/** Why an account that replaced another one is not paid yet. */
const Held = ({ account, now, support }: Props) =>
  account?.effectiveAt &&
  account.effectiveAt > now && (
    <p class="problem">
      This account replaced another one, so payouts to it start at <Time at={account.effectiveAt} />. To be
      paid sooner, confirm it by the link in our email. If you did not connect it, disconnect it and contact{' '}
      <Merchant at={support} />.
    </p>
  )

/** Asks a partner to connect an account, then shows its status. */
export const ConnectCard = (props: Props) => {
  const status = props.account?.status
  const Body = BODIES[status ?? 'none']
  return (
    <section class="card">
      <h3>{isComplete(status) ? 'Payout account' : 'Connect an account to be paid'}</h3>
      <Held {...props} />
      <Body {...props} />
    </section>
  )
}

/** Sends a partner to Stripe. A page of its own, because our policy blocks forms that redirect to another site. */
export const ContinuePage = ({ url }: { url: string }) => (
  <>
    <h1>Continue to Stripe</h1>
    <p>Stripe asks for your identity and bank details, then returns you here.</p>
    <p>
      <a class="button" href={url}>
        Continue to Stripe
      </a>
    </p>
  </>
)

/** Confirms that an account that replaced another one is the partner's. */
export const ConfirmAccountPage = ({
  workspaceId,
  token,
  support,
}: {
  workspaceId: string
  token: string
  support: string[]
}) => (
  <>
    <h1>Confirm your Stripe account?</h1>
    <p>
      You connected another Stripe account. Confirm it to be paid to it without waiting for 72 hours. If you
      did not connect it, disconnect it in the portal and contact <Merchant at={support} />.
    </p>
    <ConfirmForm action="/portal/connect/confirm" button="Confirm account" cancel="/portal">
      <input type="hidden" name="workspace" value={workspaceId} />
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
  </>
)

/** Confirms that an account is to be disconnected. */
export const DisconnectPage = ({ workspaceId }: { workspaceId: string }) => (
  <>
    <h1>Disconnect your account?</h1>
    <p>
      You cannot be paid until you connect an account again, and Stripe will ask for your details again. Your
      earnings and your Stripe account do not change.
    </p>
    <ConfirmForm action="/portal/disconnect" button="Disconnect account" cancel="/portal">
      <input type="hidden" name="workspace" value={workspaceId} />
    </ConfirmForm>
  </>
)
