/** The forms of an endpoint's page. */
import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'
import { Checkbox, Field } from './fields.tsx'
import { Time } from './parts.tsx'
import { ENDPOINT_LABELS } from './webhooks.tsx'

/** The labels of all fields of an endpoint's page. */
export const ENDPOINT_PAGE_LABELS = {
  ...ENDPOINT_LABELS,
  since: 'Events since (UTC)',
  overlapHours: 'Hours until the former secret ends',
}

/** A button that needs no fields. */
export const PostForm = ({ action, button }: { action: string; button: string }) => (
  <form method="post" action={action}>
    <button type="submit" class="quiet">
      {button}
    </button>
  </form>
)

/** Resends events since a time. */
export const ResendForm = ({
  action,
  fields,
  errors,
}: {
  action: string
  fields: Fields
  errors?: ErrorDetail[] | undefined
}) => (
  <form method="post" action={action}>
    <Field
      label={ENDPOINT_PAGE_LABELS.since}
      name="since"
      type="datetime-local"
      required
      value={fields.since}
      errors={errors}
      hint="They keep their IDs, so that your backend can recognise those that it has handled. Events are kept for 30 days."
    />
    <Checkbox label="Only those that failed" name="onlyFailed" checked={fields.onlyFailed !== undefined} />
    <p>
      <button type="submit">Resend events</button>
    </p>
  </form>
)

/** Rotates the signing secret. @param until how long the former one signs too; null if it does not */
export const SecretForm = ({
  action,
  until,
  errors,
}: {
  action: string
  until: Date | null
  errors?: ErrorDetail[] | undefined
}) => (
  <form method="post" action={action}>
    {until && (
      <p>
        The former secret signs requests too, until <Time at={until} />.
      </p>
    )}
    <Field
      label={ENDPOINT_PAGE_LABELS.overlapHours}
      name="overlapHours"
      type="number"
      min={0}
      max={168}
      required
      value={24}
      errors={errors}
      hint="Until then, requests are signed with both, so that your backend can change over. 0 ends the former one now."
    />
    <p>
      <button type="submit">Rotate secret</button>
    </p>
  </form>
)
