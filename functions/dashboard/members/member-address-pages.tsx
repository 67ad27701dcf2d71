/** The pages about a member's own email address. */

import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm, LinkButton } from '../../../lib/pages/forms/buttons.tsx'
import { EmailField } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'

type AddressPageProps = {
  base: string
  current: string
  email?: string | undefined
  problem?: string | undefined
}

/** The form for a new address. */
export const AddressPage = ({ base, current, email, problem }: AddressPageProps) => (
  <>
    <h1>{t(m.email_address)}</h1>
    <Problem message={problem} />
    <p>{t(m.members_address_sign_get, { current, link: linkTo('/portal/address') })}</p>
    <form method="post" action={base} class="inline">
      <EmailField label={t(m.new_address)} autocomplete="email" value={email} />
      <button type="submit">{t(m.members_send_links)}</button>
    </form>
    <p class="hint">{t(m.members_link_goes_each)}</p>
  </>
)

/** Reports that both links were mailed. */
export const LinksSentPage = ({ from, to, hours }: { from: string; to: string; hours: number }) => (
  <>
    <h1>{t(m.members_check_both_mailboxes)}</h1>
    <p>{t(m.members_link_sent_another, { from, to, hours })}</p>
  </>
)

type ConfirmAddressPageProps = { base: string; from: string; to: string; token: string }

/** Asks for the step that a link is for. */
export const ConfirmAddressPage = ({ base, from, to, token }: ConfirmAddressPageProps) => (
  <>
    <h1>{t(m.change_address_title)}</h1>
    <p>{t(m.members_now_sign_instead, { to, from })}</p>
    <ConfirmForm action={`${base}/confirm`} button={t(m.members_confirm_change)} cancel="/app">
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
    <form method="post" action={`${base}/cancel`}>
      <input type="hidden" name="token" value={token} />
      <p>
        {t(m.members_not_my_change, {
          button: (content) => <LinkButton>{content}</LinkButton>,
        })}
      </p>
    </form>
  </>
)

/** Reports that the link to the other address is still to be opened. */
export const WaitingPage = ({ isNew, from, to }: { isNew: boolean; from: string; to: string }) => (
  <>
    <h1>{t(m.members_one_link_left)}</h1>
    <p>{t(m.members_open_other_link, { address: isNew ? from : to })}</p>
  </>
)

/** Reports that nothing will change. */
export const CanceledPage = ({ base, current }: { base: string; current: string }) => (
  <>
    <h1>{t(m.members_change_canceled)}</h1>
    <p>{t(m.members_address_still_did, { current, link: linkTo('/auth/sessions') })}</p>
    <LinkLine href={base}>{t(m.members_change_email_address)}</LinkLine>
  </>
)

/** Reports the change. The session was of the former address. */
export const ChangedPage = ({ to }: { to: string }) => (
  <>
    <h1>{t(m.address_changed)}</h1>
    <p>{t(m.members_address_now_sign, { to })}</p>
    <form method="post" action="/auth/sign-out">
      <button type="submit">{t(m.sign_out)}</button>
    </form>
  </>
)
