import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm, LinkButton } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, EmailField, Select } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { LinkCell, NextPage, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import type { Role } from '../../../lib/rules/roles/roles.ts'
import type { WaitingPasskey } from '../../../lib/tenancy/members/member-passkeys.queries.ts'
import type { Member } from '../../../lib/tenancy/members/members.queries.ts'

const LABELS = { email: m.email_address, role: m.members_role }

const ROLE_NAMES: Record<Role, Message> = {
  member: m.members_member,
  support: m.members_support,
  finance: m.members_finance,
  manager: m.members_manager,
}

const ROLES = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }))

type RoleSelectProps = { role: string; errors: ErrorDetail[] | undefined }

const RoleSelect = ({ role, errors }: RoleSelectProps) => (
  <Select
    label={t(LABELS.role)}
    name="role"
    hint={t(m.members_managers_full_access)}
    options={ROLES}
    value={role}
    errors={errors}
  />
)

type MembersProps = {
  base: string
  members: Listed<Member>
  waiting: WaitingPasskey[]
  url: string
  fields?: Fields
  errors?: ErrorDetail[]
  done?: Message | undefined
}

export const MembersPage = ({
  base,
  members,
  waiting,
  url,
  fields = {},
  errors,
  done,
}: MembersProps) => (
  <>
    <h1>{t(m.layout_members)}</h1>
    <Done message={done} />
    <Problem errors={errors} labels={LABELS} />
    <Table
      caption={t(m.layout_members)}
      head={[t(m.members_email), t(m.members_role), t(m.members_added), t(m.action_column)]}
    >
      {members.data.map(({ id, email, role, createdAt }) => (
        <tr>
          <td>{email}</td>
          <td>{t(ROLE_NAMES[role])}</td>
          <TimeCell at={createdAt} />
          <LinkCell href={`${base}/${id}`}>{t(m.members_edit, { email, hidden })}</LinkCell>
        </tr>
      ))}
    </Table>
    <NextPage url={url} cursor={members.nextCursor} />
    {waiting.length > 0 && <WaitingPasskeys {...{ base, waiting }} />}
    <h2>{t(m.members_new_member)}</h2>
    <form method="post" action={base}>
      <EmailField
        label={t(LABELS.email)}
        hint={t(m.members_receive_email_join)}
        value={fields.email}
        errors={errors}
      />
      <RoleSelect role={fields.role ?? 'member'} errors={errors} />
      <button type="submit">{t(m.members_send_invitation)}</button>
    </form>
    <h2>{t(m.members_your_membership)}</h2>
    <p>
      {t(m.members_hand_over_or_leave, {
        link: linkTo(`${base}/hand-over`),
        leave: linkTo(base.replace(/members$/, 'leave')),
        change: linkTo(base.replace(/members$/, 'address')),
      })}
    </p>
  </>
)

const WaitingPasskeys = ({ base, waiting }: Pick<MembersProps, 'base' | 'waiting'>) => (
  <>
    <h2>{t(m.members_waiting_passkeys)}</h2>
    <p>{t(m.members_waiting_passkeys_text)}</p>
    <Table
      caption={t(m.members_waiting_passkeys)}
      head={[
        t(m.members_email),
        t(m.members_added),
        t(m.members_passkey_counts_from),
        t(m.action_column),
      ]}
    >
      {waiting.map(({ id, email, createdAt, countsFrom }) => (
        <tr>
          <td>{email}</td>
          <TimeCell at={createdAt} />
          <TimeCell at={countsFrom} />
          <td>
            <form method="post" action={`${base}/passkeys/${id}/remove`}>
              <LinkButton>{t(m.members_passkey_remove, { email, hidden })}</LinkButton>
            </form>
          </td>
        </tr>
      ))}
    </Table>
  </>
)

type MemberProps = {
  base: string
  member: Member
  problem?: string | undefined
  errors?: ErrorDetail[] | undefined
}

export const MemberPage = ({ base, member, problem, errors }: MemberProps) => (
  <>
    <LinkLine href={base}>{t(m.layout_members)}</LinkLine>
    <h1>{member.email}</h1>
    <Problem message={problem} errors={errors} labels={LABELS} />
    <form method="post" action={`${base}/${member.id}`}>
      <RoleSelect role={member.role} errors={errors} />
      <Checkbox
        label={t(m.members_email_about_payouts)}
        name="payoutMails"
        hint={t(m.members_managers_only_three)}
        checked={member.payoutMails}
      />
      <p class="actions">
        <button type="submit">{t(m.members_save_member)}</button>{' '}
        <a href={`${base}/${member.id}/remove`}>{t(m.members_remove_from_workspace)}</a>
      </p>
    </form>
  </>
)

export const RemovePage = ({ base, member, problem }: MemberProps) => (
  <>
    <h1>{t(m.members_remove_question, { email: member.email })}</h1>
    <Problem message={problem} />
    <p>{t(m.members_lose_access_workspace)}</p>
    <ConfirmForm button={t(m.members_remove_member)} cancel={`${base}/${member.id}`} />
  </>
)
