/** The page of the accounts that are signed in in this browser. */

import * as m from '../languages/messages.ts'
import { DangerButton, LinkButton } from '../pages/forms/buttons.tsx'
import { Done, LinkLine } from '../pages/layout/parts.tsx'
import { t } from '../pages/layout/text.ts'
import { hidden, strong } from '../pages/parts/tags.tsx'
import { type Account, MAX_OTHERS } from './accounts.ts'

type Props = {
  active: Account | null
  others: Account[]
  /** The page to open after switching. */
  next: string
  done: string | undefined
}

const Other = ({ account: { id, email }, next }: { account: Account; next: string }) => (
  <li>
    <strong>{email}</strong>
    <form method="post" action="/auth/accounts/switch">
      <input type="hidden" name="session" value={id} />
      <input type="hidden" name="next" value={next} />
      <button type="submit">{t(m.switch_to_account, { email, hidden })}</button>
    </form>
    <form method="post" action="/auth/accounts/sign-out">
      <input type="hidden" name="session" value={id} />
      <LinkButton>{t(m.sign_out_other_account, { email, hidden })}</LinkButton>
    </form>
  </li>
)

/** The active account, the others to switch to, and signing out. */
export const AccountsPage = ({ active, others, next, done }: Props) => (
  <>
    <h1>{t(m.accounts_heading)}</h1>
    <Done message={done} />
    <p>{active ? t(m.account_in_use, { email: active.email, strong }) : t(m.no_account_in_use)}</p>
    {others.length > 0 && (
      <>
        <h2>{t(m.other_accounts)}</h2>
        <ul class="accounts">
          {others.map((account) => (
            <Other account={account} next={next} />
          ))}
        </ul>
      </>
    )}
    <LinkLine href={`/sign-in?next=${encodeURIComponent(next)}`}>
      {active ? t(m.add_account) : t(m.sign_in)}
    </LinkLine>
    {active && (
      <form method="post" action="/auth/sign-out">
        <LinkButton>{t(m.sign_out_of_account, { email: active.email })}</LinkButton>
      </form>
    )}
    {others.length > 0 && (
      <form method="post" action="/auth/accounts/sign-out-all">
        <DangerButton>{t(m.sign_out_of_all)}</DangerButton>
      </form>
    )}
    <p class="hint">{t(m.accounts_limit, { accounts: String(MAX_OTHERS + 1) })}</p>
  </>
)
