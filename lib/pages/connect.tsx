/** How a partner connects a Stripe account, and how that stands. */
import type { Child } from 'hono/jsx'
import { PAYOUT_COUNTRIES } from '../payouts/countries.ts'
import type { PayoutAccountStatus } from '../payouts/payouts.ts'

/** What the portal says after something was done about an account, by `?connect=`. */
export const CONNECT_NOTICES: Record<PayoutAccountStatus | 'disconnected' | 'unknown', string> = {
  enabled: 'Your account is connected: you can be paid.',
  in_review: 'Stripe is checking what you told it. You will be paid once that is done.',
  onboarding: 'Stripe needs to know more of you before you can be paid. Go on whenever you like.',
  restricted: 'Stripe needs something again before you can be paid.',
  closed: 'This account at Stripe is closed. Connect another one to be paid.',
  disconnected: 'Your account is disconnected. Connect one again to be paid.',
  unknown: 'Stripe could not be asked how your account is. This page shows it as soon as Stripe tells.',
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

const COUNTRIES = PAYOUT_COUNTRIES.map((code) => ({ code, name: NAMES.of(code) ?? code })).sort((a, b) =>
  a.name.localeCompare(b.name, 'en'),
)

type Props = {
  workspace: { id: string; name: string }
  account: { status: PayoutAccountStatus } | undefined
  /** What waits to be paid, written out. */
  owed?: string | undefined
}

const Owed = ({ owed, children }: { owed: string | undefined; children: Child }) => (
  <p>
    {owed && (
      <>
        <strong>{owed}</strong> {'waits for you. '}
      </>
    )}
    {children}
  </p>
)

const ConnectForm = ({ workspace }: Pick<Props, 'workspace'>) => (
  <form method="post" action="/portal/connect" class="inline">
    <input type="hidden" name="workspace" value={workspace.id} />
    <div class="field">
      <label for={`country-${workspace.id}`}>Where you live, or your company is</label>
      <select id={`country-${workspace.id}`} name="country" required>
        <option value="">Choose a country</option>
        {COUNTRIES.map(({ code, name }) => (
          <option value={code}>{name}</option>
        ))}
      </select>
    </div>
    <button type="submit">Connect by Stripe</button>
  </form>
)

const Ways = ({ workspace, onward }: Pick<Props, 'workspace'> & { onward?: string | undefined }) => (
  <p class="actions">
    {onward && (
      <a class="button" href={`/portal/connect/refresh?workspace=${workspace.id}`}>
        {onward}
      </a>
    )}
    <a href={`/portal/disconnect?workspace=${workspace.id}`}>
      Disconnect<span class="hidden"> the account for {workspace.name}</span>
    </a>
  </p>
)

/** What stands on the card under its heading, by how the account is. */
const BODIES: Record<PayoutAccountStatus | 'none', (props: Props) => Child> = {
  none: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>
        <bdi>{workspace.name}</bdi> pays by Stripe, which asks you who you are and for your bank account. We
        never see either.
      </Owed>
      <ConnectForm workspace={workspace} />
    </>
  ),
  onboarding: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe needs to know more of you before you can be paid.</Owed>
      <Ways workspace={workspace} onward="Go on with connecting" />
    </>
  ),
  in_review: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe is checking what you told it, and needs nothing of you now.</Owed>
      <Ways workspace={workspace} />
    </>
  ),
  restricted: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Stripe needs something again before you can be paid.</Owed>
      <Ways workspace={workspace} onward="See what Stripe needs" />
    </>
  ),
  enabled: ({ workspace }) => (
    <>
      <p>
        <span class="status" data-status="approved">
          connected
        </span>{' '}
        What <bdi>{workspace.name}</bdi> owes you is sent to your account at Stripe.
      </p>
      <Ways workspace={workspace} />
    </>
  ),
  closed: ({ workspace, owed }) => (
    <>
      <Owed owed={owed}>Your account at Stripe is closed. Connect another one to be paid.</Owed>
      <ConnectForm workspace={workspace} />
    </>
  ),
}

const isDone = (status: PayoutAccountStatus | undefined): boolean =>
  status === 'enabled' || status === 'in_review'

/** Asks a partner to connect an account, or to go on with it, and says how it is once that is done. */
export const ConnectCard = (props: Props) => {
  const status = props.account?.status
  const Body = BODIES[status ?? 'none']
  return (
    <section class="card">
      <h3>{isDone(status) ? 'Your account' : 'Connect your account to be paid'}</h3>
      <Body {...props} />
    </section>
  )
}

/** Takes a partner on to Stripe: a form that leads to another site at once is stopped by our policy. */
export const OnwardPage = ({ url }: { url: string }) => (
  <>
    <h1>On to Stripe</h1>
    <p>Stripe asks you who you are and for your bank account, and brings you back here.</p>
    <p>
      <a class="button" href={url}>
        Go on to Stripe
      </a>
    </p>
  </>
)

/** Asks whether an account is really to be disconnected. */
export const DisconnectPage = ({ workspaceId }: { workspaceId: string }) => (
  <>
    <h1>Disconnect your account?</h1>
    <p>
      You are not paid any more until you connect one again, for which Stripe asks you everything anew. What
      you have earned stays yours, and your account at Stripe stays as it is.
    </p>
    <form method="post" action="/portal/disconnect">
      <input type="hidden" name="workspace" value={workspaceId} />
      <p class="actions">
        <button type="submit" class="danger">
          Disconnect it
        </button>{' '}
        <a href="/portal">Keep it</a>
      </p>
    </form>
  </>
)
