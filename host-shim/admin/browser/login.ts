// Sends the time zone of the browser with the login: the profile begins with it.
for (const field of document.querySelectorAll<HTMLInputElement>('input[name="timezone"]'))
  field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
