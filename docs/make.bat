@ECHO OFF
REM make html, make strict, make clean, or any other builder of Sphinx: as in Makefile.
SETLOCAL
CD /D "%~dp0"
IF "%PYTHON%" == "" SET PYTHON=python
SET TARGET=%1
IF "%TARGET%" == "" SET TARGET=html
IF "%TARGET%" == "clean" (
  IF EXIST _build RMDIR /S /Q _build
  EXIT /B 0
)
IF "%TARGET%" == "html" GOTO own
IF "%TARGET%" == "strict" GOTO own
%PYTHON% ..\start.py sphinx -M %TARGET% . _build %SPHINXOPTS%
EXIT /B %ERRORLEVEL%
:own
%PYTHON% ..\start.py %TARGET% %SPHINXOPTS%
EXIT /B %ERRORLEVEL%
