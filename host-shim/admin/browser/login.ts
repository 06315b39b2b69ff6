// Sends the browser's time zone, which becomes the default in the profile.
for (const field of document.querySelectorAll<HTMLInputElement>('input[name="timezone"]'))
  field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
