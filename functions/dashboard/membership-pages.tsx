import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Checkbox, Field } from '../../lib/pages/fields.tsx'
import { ConfirmForm, Problem } from '../../lib/pages/parts.tsx'

const LABELS = { email: 'Address of the new manager', stay: 'Stay as a member' }

/** The form that hands a workspace over. */
export const HandOverPage = ({
  base,
  fields = {},
  errors,
}: {
  base: string
  fields?: Fields
  errors?: ErrorDetail[]
}) => (
  <>
    <p>
      <a href={`${base}/members`}>Members</a>
    </p>
    <h1>Handover</h1>
    <Problem errors={errors} labels={LABELS} />
    <p>
      The person becomes a manager, and you give up your role. If they have never signed in, they receive an
      invitation first, and you remain a manager until they have used it.
    </p>
    <form method="post" action={`${base}/members/hand-over`}>
      <Field
        label={LABELS.email}
        name="email"
        type="email"
        required
        maxlength={320}
        autocomplete="off"
        value={fields.email}
        errors={errors}
      />
      <Checkbox
        label={LABELS.stay}
        name="stay"
        hint="With read-only access. Otherwise you leave the workspace."
        checked={fields.stay !== undefined}
      />
      <p class="actions">
        <button type="submit" class="danger">
          Hand over workspace
        </button>{' '}
        <a href={`${base}/members`}>Cancel</a>
      </p>
    </form>
  </>
)

/** Reports that the other person has to sign in first. */
export const HandedOverPage = ({ base, email }: { base: string; email: string }) => (
  <>
    <h1>Invitation sent</h1>
    <p>
      {email} is a manager now, and has never signed in. You remain a manager until then, in case the address
      is wrong. Afterwards, hand over again, or <a href={`${base}/leave`}>leave the workspace</a>.
    </p>
    <p>
      <a href={`${base}/members`}>Go to members</a>
    </p>
  </>
)

/** Confirms that somebody leaves. */
export const LeavePage = ({
  base,
  name,
  isManager,
  problem,
}: {
  base: string
  name: string
  isManager: boolean
  problem?: string | undefined
}) => (
  <>
    <h1>Leave {name}?</h1>
    <Problem message={problem} />
    <p>You lose access immediately. A manager can invite you again.</p>
    {isManager && (
      <p>
        A workspace keeps at least one manager who has signed in.{' '}
        <a href={`${base}/members/hand-over`}>Hand over the workspace</a> if you are the last one.
      </p>
    )}
    <ConfirmForm button="Leave workspace" cancel={base} />
  </>
)
