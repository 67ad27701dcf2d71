/** Reads another platform by its API. The script is islands/import/source/source.ts. */
import type { Child } from 'hono/jsx'
import { PLATFORMS } from '../../../lib/imports/sources/platforms/platforms.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'

/** @param children what is read, and what for */
export const SourceForm = ({ children }: { children: Child }) => (
  <>
    <h2>{t(m.imports_read_by_api)}</h2>
    <p>{children}</p>
    <form id="source-form">
      <p id="source-problem" class="problem" role="alert" hidden></p>
      <div class="field">
        <label for="source-platform">{t(m.imports_platform)}</label>
        <select id="source-platform" name="platform">
          {Object.values(PLATFORMS).map(({ id, name, tokenHint, account, caution }) => (
            <option
              value={id}
              data-hint={tokenHint}
              data-account={account ?? ''}
              data-caution={caution ?? ''}
            >
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="field" id="source-account-field" hidden>
        <label for="source-account" id="source-account-label">
          {t(m.imports_account)}
        </label>
        <input
          id="source-account"
          name="account"
          autocomplete="off"
          spellcheck={false}
          maxlength={255}
        />
      </div>
      <div class="field">
        <label for="source-token">{t(m.imports_token)}</label>
        <p class="hint">
          {t(m.imports_token_hint, { hint: () => <span id="source-token-hint"></span> })}
        </p>
        <input
          id="source-token"
          name="token"
          type="password"
          required
          autocomplete="off"
          maxlength={1000}
          aria-describedby="source-token-hint"
        />
      </div>
      <p class="actions">
        {/* Disabled until the script has loaded. */}
        <button type="submit" id="source-start" disabled>
          {t(m.imports_read_by_api)}
        </button>
      </p>
    </form>
  </>
)
