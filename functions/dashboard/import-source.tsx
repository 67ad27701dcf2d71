/** The part of a page that reads another platform by its API. Its script is islands/import/source.ts. */
import type { Child } from 'hono/jsx'
import { PLATFORMS } from '../../lib/imports/sources/platforms.ts'

/** @param children what is read, and what for */
export const SourceForm = ({ children }: { children: Child }) => (
  <>
    <h2>Read by API</h2>
    <p>{children}</p>
    <form id="source-form">
      <p id="source-problem" class="problem" role="alert" hidden></p>
      <div class="field">
        <label for="source-platform">Platform</label>
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
          Account
        </label>
        <input id="source-account" name="account" autocomplete="off" spellcheck={false} maxlength={255} />
      </div>
      <div class="field">
        <label for="source-token">Token</label>
        <p class="hint">
          <span id="source-token-hint"></span> Stored encrypted, used only for reading, and deleted when
          everything is read.
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
          Read by API
        </button>
      </p>
    </form>
  </>
)
