/** The pages on which an API key is shown once, rotated and revoked. */
import type { ErrorDetail } from '../http/errors.ts'
import type { ApiKey } from '../workspace/api-keys.queries.ts'
import { OVERLAPS } from '../workspace/api-keys.ts'
import { controls, Select } from './fields.tsx'
import { ConfirmForm, Copyable, Problem } from './parts.tsx'

export const CreatedKeyPage = ({ base, name, secret }: { base: string; name: string; secret: string }) => (
  <>
    <h1>Your new API key</h1>
    <div class="done" role="status">
      <p>
        API key “{name}” created. <strong>It is shown only once.</strong> Copy it to your backend’s secrets
        now.
      </p>
    </div>
    <Copyable label="the API key" text={secret} />
    <p>If the key is lost or exposed, revoke it and create a new one.</p>
    <p>
      <a href={base}>Back to API keys</a>
    </p>
  </>
)

const OVERLAP_CHOICES = [
  { value: '0', label: 'At once' },
  { value: '1', label: 'After an hour' },
  { value: '24', label: 'After a day' },
  { value: '168', label: 'After a week' },
]

export const RotateKeyPage = ({
  base,
  apiKey,
  errors,
}: {
  base: string
  apiKey: ApiKey
  errors?: ErrorDetail[] | undefined
}) => {
  const labels = { overlapHours: 'The former key ends' }
  const control = controls(labels, { fields: { overlapHours: `${OVERLAPS.default}` }, errors })
  return (
    <>
      <h1>Rotate “{apiKey.name}”</h1>
      <Problem errors={errors} labels={labels} />
      <p>
        You get a new key with the same name and scopes. Put it into your backend’s secrets before the former
        one ends.
      </p>
      <form method="post">
        <Select {...control('overlapHours')} options={OVERLAP_CHOICES} />
        <p>
          <button type="submit">Rotate key</button> <a href={base}>Cancel</a>
        </p>
      </form>
    </>
  )
}

export const RevokeKeyPage = ({ base, apiKey }: { base: string; apiKey: ApiKey }) => (
  <>
    <h1>Revoke “{apiKey.name}”?</h1>
    <p>
      Requests with this key are rejected immediately, and this cannot be undone. If your backend still uses
      it, create a new key first.
    </p>
    <ConfirmForm button="Revoke key" cancel={base} />
  </>
)
