/** The portal's pages about a partner's email address. */

import * as m from '../../languages/messages.ts'
import { ConfirmForm } from '../forms/buttons.tsx'
import { EmailField } from '../forms/fields.tsx'
import { LinkLine, Problem } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'

type AddressPageProps = {
  current: string
  email?: string | undefined
  problem?: string | undefined
}

/** The form for a new address. */
export const AddressPage = ({ current, email, problem }: AddressPageProps) => (
  <>
    <h1>{t(m.email_address)}</h1>
    <Problem message={problem} />
    <p>{t(m.address_intro, { email: current })}</p>
    <form method="post" action="/portal/address" class="inline">
      <EmailField label={t(m.new_address)} autocomplete="email" value={email} />
      <button type="submit">{t(m.send_link)}</button>
    </form>
    <LinkLine href="/portal">{t(m.back_to_programs)}</LinkLine>
  </>
)

/** Reports that the link was mailed. */
export const LinkSentPage = ({ to, hours }: { to: string; hours: number }) => (
  <>
    <h1>{t(m.check_email)}</h1>
    <p>{t(m.address_link_sent, { email: to, hours })}</p>
  </>
)

type ConfirmAddressPageProps = { from: string; to: string; token: string }

/** Asks for the last step, after the link was opened. */
export const ConfirmAddressPage = ({ from, to, token }: ConfirmAddressPageProps) => (
  <>
    <h1>{t(m.change_address_title)}</h1>
    <p>{t(m.change_address_text, { to, from })}</p>
    <ConfirmForm action="/portal/address/confirm" button={t(m.change_address)} cancel="/portal">
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
  </>
)

/** Reports the change. The session is still of the former address. */
export const ChangedPage = ({ to }: { to: string }) => (
  <>
    <h1>{t(m.address_changed)}</h1>
    <p>{t(m.address_changed_text, { email: to })}</p>
    <form method="post" action="/auth/sign-out">
      <button type="submit">{t(m.sign_out)}</button>
    </form>
  </>
)

/** Asks whether the change is to be reverted. */
export const RevertAddressPage = ({ from, to, token }: ConfirmAddressPageProps) => (
  <>
    <h1>{t(m.undo_address_title)}</h1>
    <p>{t(m.undo_address_text, { from, to })}</p>
    <ConfirmForm action="/portal/address/revert" button={t(m.undo_address)} cancel="/portal">
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
  </>
)

/** Reports the revert. The person who made the change may still be signed in. */
export const RevertedPage = ({ from }: { from: string }) => (
  <>
    <h1>{t(m.undo_address_done)}</h1>
    <p>{t(m.undo_address_done_text, { from })}</p>
    <form method="post" action="/auth/sessions/sign-out-everywhere">
      <button type="submit">{t(m.sign_out_everywhere)}</button>
    </form>
  </>
)
