-- It came from the Host header of whoever added the report. Links in mail begin with the setting QAL_PUBLIC_URL.
ALTER TABLE analytics.report DROP COLUMN home;
