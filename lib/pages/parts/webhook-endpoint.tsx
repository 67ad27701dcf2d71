import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import * as m from '../../languages/messages.ts'
import { QuietButton, Submit } from '../forms/buttons.tsx'
import { Checkbox, Field } from '../forms/fields.tsx'
import { Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { ENDPOINT_LABELS } from './webhooks.tsx'

export const ENDPOINT_PAGE_LABELS = {
  ...ENDPOINT_LABELS,
  since: m.webhooks_events_since,
  overlapHours: m.webhooks_overlap_hours,
}

/** A form of only a button. */
export const PostForm = ({ action, button }: { action: string; button: string }) => (
  <form method="post" action={action}>
    <QuietButton>{button}</QuietButton>
  </form>
)

type ResendFormProps = { action: string; fields: Fields; errors?: ErrorDetail[] | undefined }

/** Resends events since a time. */
export const ResendForm = ({ action, fields, errors }: ResendFormProps) => (
  <form method="post" action={action}>
    <Field
      label={t(ENDPOINT_PAGE_LABELS.since)}
      name="since"
      type="datetime-local"
      required
      value={fields.since}
      errors={errors}
      hint={t(m.webhooks_resend_hint)}
    />
    <Checkbox
      label={t(m.webhooks_only_failed)}
      name="onlyFailed"
      checked={fields.onlyFailed !== undefined}
    />
    <Submit>{t(m.webhooks_resend_events)}</Submit>
  </form>
)

type SecretFormProps = { action: string; until: Date | null; errors?: ErrorDetail[] | undefined }

/**
 * Rotates the signing secret.
 * @param until how long the former secret also signs; null if it does not
 */
export const SecretForm = ({ action, until, errors }: SecretFormProps) => (
  <form method="post" action={action}>
    {until && <p>{t(m.webhooks_former_secret, { time: () => <Time at={until} /> })}</p>}
    <Field
      label={t(ENDPOINT_PAGE_LABELS.overlapHours)}
      name="overlapHours"
      type="number"
      min={0}
      max={168}
      required
      value={24}
      errors={errors}
      hint={t(m.webhooks_overlap_hint)}
    />
    <Submit>{t(m.webhooks_rotate_secret)}</Submit>
  </form>
)
