import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm, DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, EmailField } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'

const LABELS = { email: m.members_address_new_manager, stay: m.members_stay_member }

type HandOverPageProps = { base: string; fields?: Fields; errors?: ErrorDetail[] }

export const HandOverPage = ({ base, fields = {}, errors }: HandOverPageProps) => (
  <>
    <LinkLine href={`${base}/members`}>{t(m.layout_members)}</LinkLine>
    <h1>{t(m.members_handover)}</h1>
    <Problem errors={errors} labels={LABELS} />
    <p>{t(m.members_person_becomes_manager)}</p>
    <form method="post" action={`${base}/members/hand-over`}>
      <EmailField label={t(LABELS.email)} value={fields.email} errors={errors} />
      <Checkbox
        label={t(LABELS.stay)}
        name="stay"
        hint={t(m.members_read_only_access)}
        checked={fields.stay !== undefined}
      />
      <p class="actions">
        <DangerButton>{t(m.members_hand_over_button)}</DangerButton>{' '}
        <a href={`${base}/members`}>{t(m.cancel)}</a>
      </p>
    </form>
  </>
)

/** Reports that the other person has to sign in first. */
export const HandedOverPage = ({ base, email }: { base: string; email: string }) => (
  <>
    <h1>{t(m.members_invitation_sent)}</h1>
    <p>{t(m.members_manager_now_never, { email, link: linkTo(`${base}/leave`) })}</p>
    <LinkLine href={`${base}/members`}>{t(m.members_go_to_members)}</LinkLine>
  </>
)

type LeavePageProps = {
  base: string
  name: string
  mayHandOver: boolean
  problem?: string | undefined
}

export const LeavePage = ({ base, name, mayHandOver, problem }: LeavePageProps) => (
  <>
    <h1>{t(m.members_leave_question, { name })}</h1>
    <Problem message={problem} />
    <p>{t(m.members_lose_access_immediately)}</p>
    {mayHandOver && (
      <p>{t(m.members_workspace_keeps_least, { link: linkTo(`${base}/members/hand-over`) })}</p>
    )}
    <ConfirmForm button={t(m.members_leave_workspace)} cancel={base} />
  </>
)
