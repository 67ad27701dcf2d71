import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Listed } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Checkbox, Field, Select } from '../../lib/pages/fields.tsx'
import { ConfirmForm, Done, NextPage, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import type { Member } from '../../lib/workspace/members.queries.ts'

const LABELS = { email: 'Email address', role: 'Role' }

const ROLES = [
  { value: 'member', label: 'Member' },
  { value: 'manager', label: 'Manager' },
] as const

const ROLE_HINT =
  'Managers have full access. Members have read-only access and cannot open keys, members, emails or the audit log.'

type MembersProps = {
  base: string
  members: Listed<Member>
  url: string
  fields?: Fields
  errors?: ErrorDetail[]
  done?: string | undefined
}

/** The members, and a form to invite one. */
export const MembersPage = ({ base, members, url, fields = {}, errors, done }: MembersProps) => (
  <>
    <h1>Members</h1>
    <Done message={done} />
    <Problem errors={errors} labels={LABELS} />
    <Table caption="Members" head={['Email', 'Role', 'Added', 'Action']}>
      {members.data.map(({ id, email, role, createdAt }) => (
        <tr>
          <td>{email}</td>
          <td>{role}</td>
          <td>
            <Time at={createdAt} />
          </td>
          <td>
            <a href={`${base}/${id}`}>
              Edit<span class="hidden"> {email}</span>
            </a>
          </td>
        </tr>
      ))}
    </Table>
    <NextPage url={url} cursor={members.nextCursor} />
    <h2>New member</h2>
    <form method="post" action={base}>
      <Field
        label={LABELS.email}
        name="email"
        hint="They receive an email, and join by signing in with this address."
        type="email"
        required
        maxlength={320}
        autocomplete="off"
        value={fields.email}
        errors={errors}
      />
      <Select
        label={LABELS.role}
        name="role"
        options={ROLES}
        value={fields.role ?? 'member'}
        errors={errors}
      />
      <button type="submit">Send invitation</button>
    </form>
    <h2>Your membership</h2>
    <p>
      <a href={`${base}/hand-over`}>Hand over the workspace</a> to another manager, or{' '}
      <a href={base.replace(/members$/, 'leave')}>leave it</a>.{' '}
      <a href={base.replace(/members$/, 'address')}>Change your email address</a>.
    </p>
  </>
)

type MemberProps = {
  base: string
  member: Member
  problem?: string | undefined
  errors?: ErrorDetail[] | undefined
}

/** One member's role and mails. */
export const MemberPage = ({ base, member, problem, errors }: MemberProps) => (
  <>
    <p>
      <a href={base}>Members</a>
    </p>
    <h1>{member.email}</h1>
    <Problem message={problem} errors={errors} labels={LABELS} />
    <form method="post" action={`${base}/${member.id}`}>
      <Select
        label={LABELS.role}
        name="role"
        hint={ROLE_HINT}
        options={ROLES}
        value={member.role}
        errors={errors}
      />
      <Checkbox
        label="Email about payouts"
        name="payoutMails"
        hint="Managers only: three days before a scheduled run, after it, and when payouts fail or wait."
        checked={member.payoutMails}
      />
      <p class="actions">
        <button type="submit">Save member</button>{' '}
        <a href={`${base}/${member.id}/remove`}>Remove from workspace</a>
      </p>
    </form>
  </>
)

/** Confirms the removal of a member. */
export const RemovePage = ({ base, member, problem }: MemberProps) => (
  <>
    <h1>Remove {member.email}?</h1>
    <Problem message={problem} />
    <p>They lose access to this workspace immediately. You can invite them again later.</p>
    <ConfirmForm button="Remove member" cancel={`${base}/${member.id}`} />
  </>
)
